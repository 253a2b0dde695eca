package app

import (
	"os"
	"slices"

	"parley"
	"parley/internal/config"
	"parley/internal/directory"
)

// enlist makes the roster from the files, with the person who the command line acts
// as. An agent whose model cannot be made is left out, with a problem that says so. The
// rest of the team starts.
func enlist(cfg ServeConfig) (r Roster, person string, problems []config.Problem, err error) {
	team := cfg.Team
	problems = slices.Clone(cfg.Problems)
	r.Team, r.Home = team.Name, homeOf(team.Dir)
	r.recalled = remembering(team)
	r.filed = make([]*config.Agent, 0, len(team.Agents))
	for _, a := range team.Agents {
		if err := cfg.usable(a); err != nil {
			problems = append(problems, config.Problem{File: a.File, Message: parley.Public(err)})
			continue
		}
		r.filed = append(r.filed, remembered(team, r.recalled, a))
	}
	r.member = cfg.member
	for _, c := range team.Channels {
		r.Channels = append(r.Channels, Channel(c))
	}
	for _, name := range team.People {
		r.addPerson(name, team.Limits)
	}
	if person, err = choosePerson(team, r); err != nil {
		return r, "", nil, err
	}
	r.addPerson(person, team.Limits)
	r.Person = person
	r.Partial = len(problems) > 0
	problems = append(problems, cfg.models.warnings()...)
	return r, person, problems, nil
}

// usable reports why no member can be made of an agent.
func (c *ServeConfig) usable(a *config.Agent) error {
	if _, err := c.models.of(a); err != nil {
		return err
	}
	_, err := c.alike.rulesOf(a)
	return err
}

// member makes a member of an agent that is usable.
func (c *ServeConfig) member(a *config.Agent) Member {
	m, _ := c.models.of(a)
	rules, _ := c.alike.rulesOf(a)
	return Member{
		Name: a.Name, Description: a.Description, Role: a.Role, Kind: a.Kind, Instructions: a.Instructions, Knowledge: a.Knowledge(),
		Model: m, ModelName: c.alike.nameOf(a.Model), Docs: directory.Docs{Home: c.Team.Dir, Folder: a.Docs}, Toolsets: memorySets(a), Limits: *a.Limits,
		Tools: allowedTools(a), Servers: c.boxes.servers(c.Team, a), KeepsShared: a.Shared == "write", Isolated: a.Isolated, Rules: rules, Mistake: a.Mistake,
		Lead: a.Name == c.Team.Lead, Schedule: a.Schedule,
	}
}

// CheckModels finds the agents that would be left out because their model cannot be
// made.
func CheckModels(team *config.Team) (problems []config.Problem) {
	models := newModels(team)
	for _, a := range team.Agents {
		if _, err := models.of(a); err != nil {
			problems = append(problems, config.Problem{File: a.File, Message: parley.Public(err)})
		}
	}
	return problems
}

// homeOf gives a folder a name that is unique among all machines.
func homeOf(dir string) string {
	host, err := os.Hostname()
	if err != nil {
		return dir
	}
	return host + ":" + dir
}
