package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
)

// classify refuses what is hidden, and notes which protected folder the place is in.
// It compares the files themselves, since one file can have many spellings: by case,
// by another form of the same letter, by a second name.
func (w *Workspace) classify(p *place) error {
	if w.Memory {
		return nil
	}
	for _, hidden := range append([]string{filepath.Join(w.Team, teamFile)}, w.Hidden...) {
		if w.isAt(p, hidden) || hasNameIn(p.info, hidden) {
			return parley.Errorf(parley.Denied, "%s belongs to the hub and is not for agents.", show(p.path)).
				WithHint("Rules and data of the team are the business of people.")
		}
	}
	p.program = slices.ContainsFunc(w.protected(), func(file string) bool { return w.isAt(p, file) })
	switch {
	case strings.EqualFold(p.name, gitFolder) || w.isAt(p, filepath.Join(w.Folder, gitFolder)):
		p.git = true
	case w.isAt(p, filepath.Join(w.Team, agentsFolder)):
		p.agents = true
	case p.agents && w.isAt(p, filepath.Join(w.Team, agentsFolder, sharedFolder)):
		p.shared = true
	}
	return nil
}

// isAt reports whether the place is that file or folder. One that does not exist yet
// is recognised by its path, ignoring case as some disks do.
func (w *Workspace) isAt(p *place, absolute string) bool {
	if p.info != nil {
		if info, err := os.Stat(absolute); err == nil && os.SameFile(info, p.info) {
			return true
		}
	}
	return strings.EqualFold(filepath.Join(w.Folder, filepath.FromSlash(p.path)), absolute)
}

// hasNameIn reports whether a file has another name in a hidden folder.
func hasNameIn(info fs.FileInfo, folder string) bool {
	if info == nil || !info.Mode().IsRegular() || linkCount(info) < 2 {
		return false
	}
	entries, _ := os.ReadDir(folder) // if it is a file or does not exist, there are no entries
	for _, e := range entries {
		if other, err := e.Info(); err == nil && os.SameFile(other, info) {
			return true
		}
	}
	return false
}

// mayWrite refuses a change at a protected place.
func (p *place) mayWrite(a Access) error {
	switch {
	case p.program:
		return parley.Errorf(parley.Denied, "%s cannot be written: an MCP server is started from it.", show(p.path)).
			WithHint("Leave it to people.")
	case p.git:
		return parley.Errorf(parley.Denied, "%s cannot be written: hooks and settings in .git run outside of every sandbox.", show(p.path)).
			WithHint("Leave what concerns git to people.")
	case p.agents && !p.shared:
		return parley.Errorf(parley.Denied, "%s cannot be written: agents/ holds the team's rules.", show(p.path)).
			WithHint("Leave it to people.")
	case p.shared && !a.Shared:
		return parley.Errorf(parley.Denied, "%s cannot be written by an agent without shared: write.", show(p.path)).
			WithHint("Ask an agent that keeps the shared files, or a person.")
	case p.shared && (p.info != nil && p.info.IsDir() || !strings.EqualFold(filepath.Ext(p.name), ".md")):
		return parley.Errorf(parley.Denied, "%s cannot be written: agents/_shared holds Markdown files.", show(p.path))
	}
	return nil
}
