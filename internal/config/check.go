package config

import (
	"strings"

	"parley"
)

// The checks here look at the team as a whole. Each returns the agents that
// pass and a problem for each that does not.

// at blames a key's line, or the first one if the key is not there.
func (d draft) at(key, format string, args ...any) Problem {
	line := max(d.lines[key], 1)
	return problems(d.agent.File, wrong(line, format, args...))[0]
}

// withModel refuses native agents that nothing thinks for.
func withModel(t *Team, drafts []draft) (passed []draft, found []Problem) {
	for _, d := range drafts {
		if d.agent.Kind == parley.Native && d.agent.Model == (Model{}) && t.Model == (Model{}) {
			found = append(found, d.at("model",
				"The agent has no model. Add a line like model: scripted:script.yaml here, or to %s for all.", TeamFile))
			continue
		}
		passed = append(passed, d)
	}
	return passed, found
}

// uniqueNames refuses an agent whose name is already somebody else's. The
// first file in the order of names keeps it.
func uniqueNames(t *Team, drafts []draft) (passed []draft, found []Problem) {
	holders := map[string]string{}
	for _, name := range t.People {
		holders[parley.FoldName(name)] = TeamFile
	}
	for _, d := range drafts {
		name := parley.FoldName(d.agent.Name)
		holder := holders[name]
		// The person that the command line acts as may have a file, but it must be
		// a person's: nobody may be spoken for by a model.
		if holder == "" && d.agent.Kind != parley.Person && name == parley.FoldName(t.Person) {
			holder = TeamFile
		}
		if holder != "" {
			found = append(found, d.at("name",
				"The name %q is already used in %s. Names are unique in a team, ignoring case.", d.agent.Name, holder))
			continue
		}
		holders[name] = d.agent.File
		passed = append(passed, d)
	}
	return passed, found
}

// withoutCircles refuses every agent that is, directly or over others, its
// own manager.
func withoutCircles(drafts []draft) (passed []draft, found []Problem) {
	managers := map[string]string{}
	for _, d := range drafts {
		managers[parley.FoldName(d.agent.Name)] = d.agent.Manager
	}
	for _, d := range drafts {
		if circle := circleOf(d.agent.Name, managers); circle != nil {
			found = append(found, d.at("manager", "The managers form a circle: %s.", strings.Join(circle, " → ")))
			continue
		}
		passed = append(passed, d)
	}
	return passed, found
}

// circleOf follows the managers of an agent and returns the way back to it,
// or nil. It also ends at a circle further up, which is not this agent's.
func circleOf(name string, managers map[string]string) []string {
	path, seen := []string{name}, map[string]bool{}
	for next := managers[parley.FoldName(name)]; next != ""; next = managers[parley.FoldName(next)] {
		path = append(path, next)
		folded := parley.FoldName(next)
		if folded == parley.FoldName(name) {
			return path
		}
		if seen[folded] {
			return nil
		}
		seen[folded] = true
	}
	return nil
}

// unknownManager warns of a manager that no file knows. It is no mistake: no
// one gets a right by it, and the manager's own file may be the broken one.
func (d draft) unknownManager(t *Team, drafts []draft) []Problem {
	names := append([]string{"", t.Person}, t.People...)
	for _, other := range drafts {
		names = append(names, other.agent.Name)
	}
	if containsName(names, d.agent.Manager) {
		return nil
	}
	return []Problem{d.at("manager", "The manager %q is not in this team's files.", d.agent.Manager)}
}
