package config

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"parley"
	"parley/internal/yamlfile"
)

const keyPeople = "people"

// ChangeTeamFile changes parley.yaml, as ChangeFile does an agent's file.
func ChangeTeamFile(team *Team, change func(file []byte) ([]byte, error)) (bool, error) {
	return changeFile(team, TeamFile, change, checkTeamChange)
}

// checkTeamChange refuses a parley.yaml that would bring a mistake into the team.
func checkTeamChange(team *Team, file string, text []byte) error {
	now, agents, err := read(team.Dir)
	if err != nil {
		return err
	}
	if found := binaryLine(text); found > 0 {
		return parley.Errorf(parley.Invalid, "%s:%d: This is not UTF-8 text.", file, found)
	}
	then, err := parseTeam(plainLines(string(bytes.TrimPrefix(text, []byte("\uFEFF")))), nil, team.Dir)
	if err != nil {
		return err
	}
	changed := agents
	changed.drafts, changed.problems = slices.Clone(agents.drafts), slices.Clone(agents.problems)
	now.Person, then.Person = team.Person, team.Person
	incumbents := incumbents(team)
	agents.check(now, incumbents)
	changed.check(then, incumbents)
	return refuse(slices.DeleteFunc(changed.problems, func(p Problem) bool { return slices.Contains(agents.problems, p) }))
}

// AddPerson returns a parley.yaml with a further person. Nothing else changes, also no
// comment.
func AddPerson(file []byte, name string) ([]byte, error) {
	p := wholePage(file)
	before, err := p.values()
	if err != nil {
		return nil, err
	}
	keys, ok := yamlfile.Places(p.yaml())
	if !ok {
		return nil, errTeamByHand()
	}
	k, there := keys[keyPeople]
	var tries [][]string
	switch {
	case there:
		tries = p.withItem(k, p.valueEnd(k, keys), scalar(name))
	default:
		tries = [][]string{append(p.closed(), keyPeople+": ["+scalar(name)+"]"+p.newline())}
	}
	for _, lines := range tries {
		edited := (&page{mark: p.mark, lines: lines}).bytes()
		if after, err := wholePage(edited).values(); err == nil && added(before, after, name) {
			return edited, nil
		}
	}
	return nil, errTeamByHand()
}

func errTeamByHand() error {
	return parley.Errorf(parley.Conflict, "%s is written in a way that the hub does not change.", TeamFile).
		WithHint("Add the name to people: by hand; the hub takes it over by itself.")
}

// wholePage is a file that is YAML from its beginning to its end.
func wholePage(file []byte) *page {
	p := &page{}
	rest, marked := bytes.CutPrefix(file, []byte("\uFEFF"))
	if marked {
		p.mark = file[:len(file)-len(rest)]
	}
	p.lines = splitLines(string(rest))
	p.end = len(p.lines)
	return p
}

// closed are the lines, with an end of the last one.
func (p *page) closed() []string {
	lines := slices.Clone(p.lines)
	if n := len(lines); n > 0 && bare(lines[n-1]) == lines[n-1] {
		lines[n-1] += p.newline()
	}
	return lines
}

// withItem puts an item at the end of the list whose key is at k and which ends before
// the line end. Which bracket closes a list on one line is not known before the result
// is read, so there may be several tries.
func (p *page) withItem(k yamlfile.Place, end int, item string) (tries [][]string) {
	lines := p.closed()
	for i := end - 1; i > k.Line; i-- {
		text := bare(lines[i])
		if rest := strings.TrimLeft(text, " "); strings.HasPrefix(rest, "- ") {
			indent := text[:len(text)-len(rest)]
			return [][]string{slices.Insert(slices.Clone(lines), i+1, indent+"- "+item+p.newline())}
		}
	}
	for i := end - 1; i >= k.Line; i-- {
		for at := strings.LastIndex(lines[i], "]"); at >= 0; at = strings.LastIndex(lines[i][:at], "]") {
			for _, comma := range []string{", ", ""} {
				changed := slices.Clone(lines)
				changed[i] = strings.TrimRight(lines[i][:at], " ") + comma + item + lines[i][at:]
				tries = append(tries, changed)
			}
		}
	}
	// A key without a value.
	indent := strings.Repeat(" ", k.Column+2)
	return append(tries, slices.Insert(slices.Clone(lines), k.Line+1, indent+"- "+item+p.newline()))
}

// added reports whether the only change is one more name in the list of people.
func added(before, after map[string]any, name string) bool {
	had, _ := before[keyPeople].([]any)
	has, _ := after[keyPeople].([]any)
	if len(has) == 0 || has[len(has)-1] != any(name) || len(has) != len(had)+1 {
		return false
	}
	for i := range had {
		if !reflect.DeepEqual(had[i], has[i]) {
			return false
		}
	}
	rest := func(m map[string]any) map[string]any {
		out := map[string]any{}
		for key, v := range m {
			if key != keyPeople {
				out[key] = v
			}
		}
		return out
	}
	return reflect.DeepEqual(rest(before), rest(after))
}
