package config

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/yamlfile"
)

// The checks here look at the team as a whole. Each returns the agents that
// pass and a problem for each that does not.

// at reports a problem at a key's line, or at the first line if the key is
// absent.
func (d *draft) at(key, format string, args ...any) Problem {
	line := max(d.agent.Lines[key], 1)
	return problems(d.agent.File, wrong(line, format, args...))[0]
}

// withModel refuses native agents that have no model.
func withModel(t *Team, drafts []*draft) (passed []*draft, found []Problem) {
	passed = make([]*draft, 0, len(drafts))
	for _, d := range drafts {
		if d.agent.Kind == parley.Native && d.agent.Model == (Model{}) && t.Model == (Model{}) {
			found = append(found, d.at("model",
				"The agent has no model. Add a line like model: anthropic/claude-sonnet-4-5 or model: scripted:script.yaml here, or to %s for all.", TeamFile))
			continue
		}
		if !t.knowsModel(d.agent.Model) {
			found = append(found, d.at("model", "%s", t.unknownModel(d.agent.Model)))
			continue
		}
		passed = append(passed, d)
	}
	return passed, found
}

// uniqueNames refuses an agent whose name is already taken. The file that had
// the name before keeps it; otherwise the first file in alphabetical order gets
// it. A new file never takes over somebody's identity.
func uniqueNames(t *Team, drafts []*draft, incumbents map[string]string) (passed []*draft, found []Problem) {
	holders := make(map[string]string, len(drafts))
	passed = make([]*draft, 0, len(drafts))
	for _, d := range drafts {
		if name := parley.FoldName(d.agent.Name); incumbents[name] == d.agent.File {
			holders[name] = d.agent.File
		}
	}
	for _, name := range t.People {
		folded := parley.FoldName(name)
		if file := holders[folded]; file != "" {
			found = append(found, Problem{File: TeamFile, Message: nameTaken(name, file)})
			continue
		}
		holders[folded] = TeamFile
	}
	for _, d := range drafts {
		name := parley.FoldName(d.agent.Name)
		holder := holders[name]
		// The person that the command line acts as may have a file, but it must be
		// a person's: no model may speak for a person.
		if holder == "" && d.agent.Kind != parley.Person && name == parley.FoldName(t.Person) {
			holder = TeamFile
		}
		if holder != "" && holder != d.agent.File {
			found = append(found, d.at("name", "%s", nameTaken(d.agent.Name, holder)))
			continue
		}
		holders[name] = d.agent.File
		passed = append(passed, d)
	}
	return passed, found
}

func nameTaken(name, file string) string {
	return fmt.Sprintf("The name %q is already used in %s. Names are unique in a team, ignoring case.", name, file)
}

// unlikeNames refuses an agent whose name looks like somebody else's, with other
// letters of the same shape. Whoever had such a name before keeps it; otherwise a name
// in plain letters does.
func unlikeNames(t *Team, drafts []*draft, incumbents map[string]string) (passed []*draft, found []Problem) {
	if !oddNames(t, drafts) {
		return drafts, nil
	}
	holders := map[string][]holder{}
	put := func(name, file string) {
		key := parley.LookAlike(name)
		holders[key] = append(holders[key], holder{name, file})
	}
	t.People, found = unlikePeople(t.People, drafts, incumbents)
	for _, name := range append([]string{t.Person}, t.People...) {
		put(name, TeamFile)
	}
	first := func(d *draft) bool {
		return incumbents[parley.FoldName(d.agent.Name)] == d.agent.File || parley.LookAlike(d.agent.Name) == parley.FoldName(d.agent.Name)
	}
	for _, d := range drafts {
		if first(d) {
			put(d.agent.Name, d.agent.File)
		}
	}
	for _, d := range drafts {
		other, taken := looksLike(d.agent.Name, holders[parley.LookAlike(d.agent.Name)])
		switch {
		case taken && incumbents[parley.FoldName(d.agent.Name)] != d.agent.File:
			found = append(found, d.at("name", "%s", nameLooksLike(d.agent.Name, other)))
			continue
		case !first(d):
			put(d.agent.Name, d.agent.File)
		}
		passed = append(passed, d)
	}
	return passed, found
}

// oddNames reports whether somebody's name has signs that may be taken for others.
// Without one no two names look like each other.
func oddNames(t *Team, drafts []*draft) bool {
	odd := func(name string) bool { return parley.LookAlike(name) != parley.FoldName(name) }
	return odd(t.Person) || slices.ContainsFunc(t.People, odd) ||
		slices.ContainsFunc(drafts, func(d *draft) bool { return odd(d.agent.Name) })
}

// unlikePeople leaves out people whose names look like that of an agent who had it
// before.
func unlikePeople(people []string, drafts []*draft, incumbents map[string]string) (passed []string, found []Problem) {
	var agents []holder
	for _, d := range drafts {
		if incumbents[parley.FoldName(d.agent.Name)] == d.agent.File {
			agents = append(agents, holder{d.agent.Name, d.agent.File})
		}
	}
	for _, name := range people {
		if other, taken := looksLike(name, agents); taken {
			found = append(found, Problem{File: TeamFile, Message: nameLooksLike(name, other)})
			continue
		}
		passed = append(passed, name)
	}
	return passed, found
}

// checkPeople refuses people who look like each other, or like the one that the
// command line acts as.
func (t *Team) checkPeople(line int) (found []yamlfile.Mistake) {
	before := []holder{{t.Person, TeamFile}}
	for _, name := range t.People {
		if other, taken := looksLike(name, before); taken {
			found = append(found, wrong(line, "%s", nameLooksLike(name, other))...)
		}
		before = append(before, holder{name, TeamFile})
	}
	return found
}

func nameLooksLike(name string, other holder) string {
	return fmt.Sprintf("The name %q looks like %q in %s. Choose one that nobody takes for the other.", name, other.name, other.file)
}

// holder is a name and the file that has it.
type holder struct{ name, file string }

func looksLike(name string, list []holder) (holder, bool) {
	for _, h := range list {
		if parley.LooksLike(name, h.name) {
			return h, true
		}
	}
	return holder{}, false
}

// withoutCircles refuses every agent that is its own manager, directly or
// through others.
func withoutCircles(drafts []*draft) (passed []*draft, found []Problem) {
	managers := managersOf(drafts)
	if !hasCircle(managers) {
		return drafts, nil
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

// managersOf are the managers of all who have one, by folded name.
func managersOf(drafts []*draft) map[string]string {
	managers := map[string]string{}
	for _, d := range drafts {
		if d.agent.Manager != "" {
			managers[parley.FoldName(d.agent.Name)] = d.agent.Manager
		}
	}
	return managers
}

// hasCircle reports whether somebody is above themselves. It goes each way up only once.
func hasCircle(managers map[string]string) bool {
	const onTheWay, free = 1, 2
	state := make(map[string]byte, len(managers))
	var way []string
	for name := range managers {
		way = way[:0]
		for state[name] != free && managers[name] != "" {
			if state[name] == onTheWay {
				return true
			}
			state[name] = onTheWay
			way = append(way, name)
			name = parley.FoldName(managers[name])
		}
		for _, name := range way {
			state[name] = free
		}
	}
	return false
}

// circleOf follows an agent's managers and returns the path back to it, or nil.
// It also stops at a circle further up, which is not this agent's.
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

// knownNames are the folded names of everyone in the files.
func knownNames(t *Team, drafts []*draft) map[string]bool {
	known := make(map[string]bool, len(drafts)+len(t.People)+1)
	known[parley.FoldName(t.Person)] = true
	for _, name := range t.People {
		known[parley.FoldName(name)] = true
	}
	for _, d := range drafts {
		known[parley.FoldName(d.agent.Name)] = true
	}
	return known
}

// strangers warns of names that are in no file. They are not mistakes: they
// give nobody a right, and the file of the one who is meant may be broken.
func (d *draft) strangers(known map[string]bool) (found []Problem) {
	warn := func(key, what, name string) {
		if name != "" && !known[parley.FoldName(name)] {
			found = append(found, d.at(key, "%s %q is not in this team's files.", what, name))
		}
	}
	warn("manager", "The manager", d.agent.Manager)
	for _, name := range d.agent.CanInvoke {
		warn("can_invoke", "The agent", name)
	}
	for _, c := range d.agent.Contacts {
		if c.Name != policy.Everyone {
			warn("contacts", "The agent", c.Name)
		}
	}
	return found
}
