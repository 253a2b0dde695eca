package app

import (
	"cmp"
	"path/filepath"
	"slices"

	"parley"
	"parley/internal/config"
	"parley/internal/hubfile"
)

// Adopt makes a team of its files that lives on the hub of another team. What is the
// hub's business comes from there, and its agents see nothing of the hub.
func Adopt(filed *config.Team, name string, hub *config.Team) *config.Team {
	team := *filed
	team.Name = name
	team.Store, team.Listen, team.Workers, team.Memory = hub.Store, hub.Listen, hub.Workers, hub.Memory
	team.TLS, team.PublicURL, team.Proxies, team.Door = hub.TLS, hub.PublicURL, hub.Proxies, hub.Door
	team.Lease, team.ClientLease, team.Grace = hub.Lease, hub.ClientLease, hub.Grace
	team.Workspace.Hidden = []string{hub.Data}
	ignored, _ := config.HubSettings(filed.Dir)
	team.Warnings = slices.Concat(filed.Warnings, ignored)
	return &team
}

// worksOnFiles reports whether agents of the team, or the servers that work for them, get to its
// workspace.
func worksOnFiles(team *config.Team) bool {
	return UsesWorkspace(team) || slices.ContainsFunc(team.Agents, func(a *config.Agent) bool {
		return slices.ContainsFunc(a.MCPServers, func(s config.MCPServer) bool { return s.Command != "" })
	})
}

// CheckAdopted refuses a team whose agents would work where the hub has its files.
func CheckAdopted(team, hub *config.Team) error {
	if !worksOnFiles(team) {
		return nil
	}
	if space, data := resolved(team.Workspace.Folder), resolved(hub.Data); inside(space, data) || inside(data, space) {
		return parley.Errorf(parley.Invalid, "The workspace %s of the team %s and the hub's folder %s overlap.", team.Workspace.Folder, team.Name, hub.Data).
			WithHint("Name another folder as workspace in %s of the team.", config.TeamFile)
	}
	return CheckApart(team)
}

// CheckOverlap refuses two teams if the agents of one could reach files of the other.
// Nothing crosses from one team to another but what people carry.
func CheckOverlap(a, b *config.Team) error {
	for _, pair := range [][2]*config.Team{{a, b}, {b, a}} {
		if err := checkReach(pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// checkReach refuses a team whose agents reach the folders of another.
func checkReach(team, other *config.Team) error {
	if !worksOnFiles(team) {
		return nil
	}
	theirs := []string{other.Dir, other.Data}
	if worksOnFiles(other) {
		theirs = append(theirs, other.Workspace.Folder)
	}
	for _, reached := range append([]string{team.Workspace.Folder}, team.Workspace.Readable...) {
		for _, place := range theirs {
			if inside(resolved(reached), resolved(place)) {
				return parley.Errorf(parley.Conflict, "Agents of the team %s work in %s, where they could reach %s of the team %s.", team.Name, reached, place, other.Name).
					WithHint("Give one of them another folder, or another workspace in its %s.", config.TeamFile)
			}
		}
	}
	return nil
}

func errSameName(name string) error {
	return parley.Errorf(parley.Conflict, "The hub already has a team with the name %s.", name).WithHint("Give it another one with --name.")
}

// checkFree refuses to start a hub for a team that another hub serves: both would work on
// the same files.
func checkFree(data string) error {
	at, pointed := hubfile.Pointed(data)
	if !pointed {
		return nil
	}
	return parley.Errorf(parley.Conflict, "This is the team %s of the hub on %s.", at.Team, at.Hub).
		WithHint("Start that hub, or remove the team from it first.")
}

// Addition is a team that is to be added to a hub.
type Addition struct {
	// Hub is the hub's own team, with the data folder that the hub uses.
	Hub    *config.Team
	Folder string
	// Name is the team's name; if empty, the one in its files, or else the folder's.
	Name string
}

// AddTeam puts a team on the list of a hub. A hub that runs finds it there. The
// problems are the mistakes in the team's files; it is added all the same.
func AddTeam(a Addition) (added hubfile.Team, problems []config.Problem, err error) {
	filed, problems, err := config.Load(a.Folder)
	if err != nil {
		return added, nil, err
	}
	name := a.Name
	if _, named := config.HubSettings(filed.Dir); name == "" && named {
		name = filed.Name
	} else if name == "" {
		name = validName(filepath.Base(filed.Dir))
	}
	if err := hubfile.CheckTeamName(name); err != nil {
		return added, nil, err
	}
	added = hubfile.Team{Name: name, Folder: filed.Dir, Data: filed.Data}
	err = hubfile.ChangeTeams(a.Hub.Data, func(list []hubfile.Team) ([]hubfile.Team, error) {
		if err := a.check(added, Adopt(filed, name, a.Hub), list); err != nil {
			return nil, err
		}
		// Before the hub sees the list, since it writes the pointer too. Without the
		// list nobody believes it.
		return append(list, added), hubfile.Point(added.Data, hubfile.Pointer{Hub: a.Hub.Data, Folder: a.Hub.Dir, Team: name})
	})
	return added, problems, err
}

// check says why the team cannot be added.
func (a Addition) check(added hubfile.Team, team *config.Team, list []hubfile.Team) error {
	if resolved(team.Dir) == resolved(a.Hub.Dir) || resolved(team.Data) == resolved(a.Hub.Data) {
		return parley.Errorf(parley.Conflict, "%s is the hub's own team.", team.Dir).WithHint("Name the folder of another team.")
	}
	for _, l := range list {
		switch {
		case l.Is(added.Name) && l.Leaving:
			return parley.Errorf(parley.Conflict, "The team %s is just being removed.", l.Name).WithHint("Start the hub, which finishes that, and try again.")
		case resolved(l.Folder) == resolved(added.Folder) && !l.Leaving:
			return parley.Errorf(parley.Conflict, "%s is already a team of the hub: %s.", l.Folder, l.Name)
		case l.Is(added.Name):
			return errSameName(l.Name)
		}
	}
	if parley.FoldName(added.Name) == parley.FoldName(a.Hub.Name) {
		return errSameName(a.Hub.Name)
	}
	if err := cmp.Or(checkFree(team.Data), CheckAdopted(team, a.Hub), CheckOverlap(team, a.Hub)); err != nil {
		return err
	}
	if hubfile.Held(team.Data) {
		return parley.Errorf(parley.Conflict, "A hub of its own runs for %s.", team.Dir).WithHint("Stop it first.")
	}
	for _, l := range list {
		if other, _, err := config.Load(l.Folder); err == nil { // one that cannot be read is not served
			if err := CheckOverlap(team, Adopt(other, l.Name, a.Hub)); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveTeam takes a team from the list of a hub. The hub ends its work, at once or when
// it starts.
func RemoveTeam(data, name string) (removed hubfile.Team, err error) {
	err = hubfile.ChangeTeams(data, func(list []hubfile.Team) ([]hubfile.Team, error) {
		i := slices.IndexFunc(list, func(l hubfile.Team) bool { return l.Is(name) })
		if i < 0 {
			return nil, ErrNoTeam(name, list)
		}
		list[i].Leaving = true
		removed = list[i]
		return list, nil
	})
	return removed, err
}

// ErrNoTeam says that a hub has no such further team. Only the owner of the hub reads
// it.
func ErrNoTeam(name string, list []hubfile.Team) error {
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
	}
	err := parley.Errorf(parley.NotFound, "The hub has no team %s.", parley.Clip(name, 64))
	if near := parley.Nearest(name, names, 1); len(near) > 0 {
		return err.WithHint("Did you mean %s?", near[0])
	}
	return err.WithHint("parley team list shows them.")
}
