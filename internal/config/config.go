// Package config turns a team's folder, parley.yaml and agents/, into plain
// structs with every default filled in and every value checked.
//
// It only reads. What the values mean is the business of the packages that
// get them. A mistake names its file and line. A mistake in
// parley.yaml fails the whole load, since it holds for everyone; a mistake in
// an agent's file leaves that agent out, and the rest of the team starts.
//
// All reading goes through an os.Root, so no link leads out of the folder.
package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley"
)

// TeamFile is the file that makes a folder a team.
const TeamFile = "parley.yaml"

// Load reads the team in dir. The error is for a folder or a parley.yaml that
// cannot be used. The problems are the mistakes in the other files; whatever
// has one is not in the Team.
//
// An agent that is missing from the Team may be one whose file is broken: a
// caller that treats missing agents as removed should do so only when there
// are no problems.
func Load(dir string) (*Team, []Problem, error) {
	team, agents, err := read(dir)
	if err != nil {
		return nil, nil, err
	}
	agents.check(team, nil)
	agents.complete(team)
	team.seen = agents.seen(team)
	return team, agents.problems, nil
}

// DataFolder reads where the hub of the team in dir has its data. It does not look at
// the agents, of which there may be many.
func DataFolder(dir string) (string, error) {
	team, root, err := readSettings(dir)
	if err != nil {
		return "", err
	}
	return team.Data, root.Close()
}

// TeamName reads the name of the team in dir.
func TeamName(dir string) (string, error) {
	team, root, err := readSettings(dir)
	if err != nil {
		return "", err
	}
	return team.Name, root.Close()
}

// readSettings reads parley.yaml, and leaves the folder open for the rest.
func readSettings(dir string) (*Team, *os.Root, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, unusable(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, unusable(dir, err)
	}
	team, err := readTeam(root, dir)
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return team, root, nil
}

// read reads each file on its own.
func read(dir string) (*Team, folder, error) {
	team, root, err := readSettings(dir)
	if err != nil {
		return nil, folder{}, err
	}
	defer root.Close()
	agents, err := readAgents(root)
	if err != nil {
		return nil, folder{}, unusable(filepath.Join(team.Dir, agentsDir), err)
	}
	return team, agents, nil
}

// check looks at the team as a whole. incumbents are the files that had a name
// before, by folded name.
func (f *folder) check(team *Team, incumbents map[string]string) {
	f.keep(withModel(team, f.drafts))
	f.keep(uniqueNames(team, f.drafts, incumbents))
	f.keep(unlikeNames(team, f.drafts, incumbents))
	f.keep(withoutCircles(f.drafts))
	f.keep(serversKnown(team, f.drafts))
	f.keep(scheduled(team, f.drafts))
}

// complete puts the agents into their team.
func (f *folder) complete(team *Team) {
	f.known = knownNames(team, f.drafts)
	if f.from.limits == nil {
		limits := team.Limits // not those of the team itself, which would stay in memory as long as an agent of it
		f.from = legacy{join(f.shared), &limits}
	}
	team.Agents = slices.Grow(team.Agents, len(f.drafts))
	f.advice = nil
	for _, d := range f.drafts {
		team.Agents = append(team.Agents, d.finish(team, f.from))
		if list := d.advice(team, f.known); list != nil {
			f.advice = append(f.advice, advice{d.agent.File, list})
		}
	}
	f.warn(team)
	f.problems = append(f.problems, team.checkLead()...)
}

// advice is what there is to know about one agent's file.
type advice struct {
	file string
	list []Problem
}

// advice are the warnings about one agent.
func (d *draft) advice(t *Team, known map[string]bool) []Problem {
	return slices.Concat(d.notYet(), d.strangers(known), d.scheduleStrangers(t, known), problems(d.agent.File, d.has().servers.warned))
}

// warn puts all warnings into the team.
func (f *folder) warn(team *Team) {
	team.Warnings = append(team.Warnings, f.warnings...)
	team.Warnings = append(team.Warnings, channelStrangers(team, f.known)...)
	for _, a := range f.advice {
		team.Warnings = append(team.Warnings, a.list...)
	}
}

// unusable explains why a folder cannot be read at all.
func unusable(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return parley.Errorf(parley.NotFound, "There is no folder %s.", dir).WithHint("%s", initHint).WithCause(err)
	}
	return parley.Errorf(parley.Invalid, "The folder %s cannot be used: %v.", dir, reason(err)).WithCause(err)
}

const initHint = "parley init makes a new team."
