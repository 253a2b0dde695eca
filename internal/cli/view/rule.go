package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Rules is a table of an agent's rules, a line for each value of a list.
func (s Screen) Rules(r api.AgentRules) string {
	if r.File == "" {
		return r.Agent + " has no file: nothing restricts them.\n"
	}
	t := table{elastic: 1, least: 16, rows: [][]cell{heads("RULE", "VALUE", "WHERE")}}
	for _, rule := range r.Rules {
		where, values := cell{text: "default", color: Dim}, rule.Values
		if rule.Line > 0 {
			where = cell{text: fmt.Sprintf("%s:%d", r.File, rule.Line)}
		}
		if len(values) == 0 {
			values = []string{lacking(rule)}
		}
		for i, v := range values {
			row := []cell{{text: rule.Key, color: Bold}, {text: Line(v)}, where}
			if i > 0 {
				row[0], row[2] = cell{}, cell{}
			}
			t.rows = append(t.rows, row)
		}
	}
	text := t.text(s)
	if r.Mistake != "" {
		text += s.Bad() + " These are the rules from before a mistake in the file: " + Line(r.Mistake) + "\n"
	}
	for _, w := range r.Warnings {
		text += s.Paint(Yellow, "!") + " " + Line(w) + "\n"
	}
	return text
}

// lacking says what a rule without values means.
func lacking(r api.AgentRule) string {
	switch {
	case r.Key == "can_invoke" && r.Line > 0:
		return "nobody"
	case r.Key == "can_invoke", r.Key == "contacts":
		return "everyone"
	}
	return "-"
}

// Reload says what has changed.
func (s Screen) Reload(r api.Reload) string {
	var b strings.Builder
	for _, name := range r.Joined {
		fmt.Fprintf(&b, "%s joined.\n", name)
	}
	for _, a := range r.Changed {
		fmt.Fprintf(&b, "%s changed: %s.\n", a.Agent, strings.Join(a.Keys, ", "))
	}
	for _, name := range r.Removed {
		fmt.Fprintf(&b, "%s is gone.\n", name)
	}
	for _, ch := range r.Channels {
		fmt.Fprintf(&b, "%s was %s.\n", ch.Channel, ch.What)
	}
	for _, m := range r.Models {
		fmt.Fprintf(&b, "parley.yaml changed %s.\n", Line(m))
	}
	if b.Len() == 0 {
		b.WriteString("Nothing has changed in parley.yaml and in agents/.\nAll files were read again, including the scripts of models: a turn that begins now follows them.\n")
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s %s\n", s.Bad(), Line(p))
	}
	var kept []string
	for _, k := range r.Kept {
		kept = append(kept, k.Agent)
	}
	if kept != nil {
		fmt.Fprintf(&b, "%s %s as before.\n", strings.Join(kept, ", "), Verb(len(kept), "works", "work"))
	}
	if len(r.Restart) > 0 {
		fmt.Fprintf(&b, "%s These settings need a restart of the hub: %s.\n", s.Paint(Yellow, "!"), strings.Join(r.Restart, ", "))
	}
	return b.String()
}

// Verb chooses the form for one or for several.
func Verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
