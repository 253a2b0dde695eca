package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/config"
)

// CheckApart refuses files of the hub that lie where agents can reach them. Whoever can
// make a file beside a SQLite database can destroy it: SQLite takes over what it finds
// under the names of its logs. So the database is in the hub's own folder, which no
// agent sees, or outside of the workspace. A link in the workspace counts as well, since
// an agent could replace it.
func CheckApart(team *config.Team) error {
	space, data := resolved(team.Workspace.Folder), resolved(team.Data)
	if inside(data, space) {
		return parley.Errorf(parley.Invalid, "The hub's folder %s holds the workspace %s, where agents work.", team.Data, team.Workspace.Folder).
			WithHint("Name another folder as data in %s, such as %s.", config.TeamFile, config.DefaultData)
	}
	reachable := func(place string) bool { return inside(space, place) && !inside(data, place) }
	if links, _ := trace(team.Data); slices.ContainsFunc(links, reachable) {
		return parley.Errorf(parley.Invalid, "The hub's folder %s is reached through a link in the workspace, which agents could replace.", team.Data).
			WithHint("Write where it leads to: data: %s", data)
	}
	if team.Store.Driver != config.SQLite {
		return nil
	}
	links, end := trace(team.Store.Path)
	if !slices.ContainsFunc(append(links, end), reachable) {
		return nil
	}
	return parley.Errorf(parley.Invalid, "The database %s is in the workspace %s, where agents could destroy it.", team.Store.Path, team.Workspace.Folder).
		WithHint("Stop the hub, move the file to %s together with those that begin with its name, and remove the line store: from %s.",
			filepath.Join(team.Data, config.DatabaseFile), config.TeamFile)
}

// maxLinks is how many links are followed in a row.
const maxLinks = 40

// trace walks a path as the system does. It returns where each link on the way is, and
// where the path ends. What does not exist yet ends where it would be made.
func trace(path string) (links []string, end string) {
	end = filepath.VolumeName(path) + string(filepath.Separator)
	rest := parts(path)
	for len(rest) > 0 {
		next := filepath.Join(end, rest[0])
		target, err := os.Readlink(next)
		if err != nil || len(links) == maxLinks {
			end, rest = next, rest[1:]
			continue
		}
		links = append(links, next)
		if filepath.IsAbs(target) {
			end = filepath.VolumeName(target) + string(filepath.Separator)
		}
		rest = append(parts(target), rest[1:]...)
	}
	return links, end
}

// parts are the names in a path, in order.
func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// resolved is a path without links, as far as it exists.
func resolved(path string) string {
	_, end := trace(path)
	return end
}

// inside reports whether path is dir or lies in it. Both are without links.
func inside(dir, path string) bool {
	_, in := within(dir, path)
	return in
}
