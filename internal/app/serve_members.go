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
	there := remembering(team)
	r.Members = make([]Member, 0, len(team.Agents)+len(team.People)+1)
	for _, a := range team.Agents {
		m, err := cfg.member(remembered(team, there, a))
		if err != nil {
			problems = append(problems, config.Problem{File: a.File, Message: parley.Public(err)})
			continue
		}
		r.Members = append(r.Members, m)
	}
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

// member makes a member of an agent.
func (c *ServeConfig) member(a *config.Agent) (Member, error) {
	m, err := c.models.of(a)
	if err != nil {
		return Member{}, err
	}
	rules, err := a.Rules()
	return Member{
		Name: a.Name, Description: a.Description, Role: a.Role, Kind: a.Kind, Instructions: a.Instructions, Knowledge: a.Knowledge,
		Model: m, ModelName: a.Model.String(), Docs: directory.Docs{Home: c.Team.Dir, Folder: a.Docs}, Toolsets: memorySets(a), Limits: *a.Limits,
		Tools: allowedTools(a), Servers: c.boxes.servers(c.Team, a), KeepsShared: a.Shared == "write", Isolated: a.Isolated, Rules: rules, Mistake: a.Mistake,
		Lead: a.Name == c.Team.Lead, Schedule: a.Schedule,
	}, err
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

// addPerson adds a person who has no file of their own.
func (r *Roster) addPerson(name string, limits parley.Limits) {
	if _, there := r.kind(name); !there {
		r.Members = append(r.Members, Member{Name: name, Kind: parley.Person, Limits: limits})
	}
}

func (r *Roster) kind(name string) (parley.AgentKind, bool) {
	for _, m := range r.Members {
		if parley.FoldName(m.Name) == parley.FoldName(name) {
			return m.Kind, true
		}
	}
	return "", false
}

func largestMessage(r Roster) int {
	largest := parley.DefaultLimits().MessageBytes
	for _, m := range r.Members {
		largest = max(largest, m.Limits.MessageBytes)
	}
	return largest
}
