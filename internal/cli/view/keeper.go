package view

import (
	"cmp"
	"fmt"
	"strings"

	"parley/api"
)

// Keepers is a table of keepers.
func (s Screen) Keepers(list []api.Keeper) string {
	t := table{elastic: 5, least: 16, rows: [][]cell{heads("KEEPER", "OWNER", "MESSAGES", "READERS", "USED", "TOPIC")}}
	for _, k := range list {
		used := "never"
		if k.Used != nil {
			used = s.Clock(*k.Used)
		}
		t.rows = append(t.rows, []cell{
			{text: k.ID, color: Bold}, {text: k.Owner}, {text: fmt.Sprint(k.Messages)},
			{text: s.fit(keeperReaders(k), 32)}, {text: used, color: Dim}, {text: Line(k.Topic)},
		})
	}
	return t.text(s)
}

func keeperReaders(k api.Keeper) string {
	if k.Shared {
		return "the team"
	}
	return cmp.Or(k.Place, k.Owner)
}

// Keeper shows one keeper with its messages, oldest first.
func (s Screen) Keeper(k api.Keeper) string {
	var b strings.Builder
	how := "put away by " + k.Owner
	if k.Automatic {
		how = "put away by the hub for " + k.Owner
	}
	fmt.Fprintf(&b, "%s  %s\n%s\n", s.Paint(Bold, k.ID), Line(k.Topic),
		s.Paint(Dim, fmt.Sprintf("%d messages, %d characters, %s %s, for %s", k.Messages, k.Size, how, s.Clock(k.Created), keeperReaders(k))))
	palette := &Palette{}
	for _, m := range k.Kept {
		who := cmp.Or(m.Author, m.Role)
		fmt.Fprintf(&b, "\n%s%s\n", s.Paint(palette.Of(who), who), s.Paint(Dim, "  "+m.Role+s.Dot()+m.Name+s.Dot()+s.Clock(m.At)))
		for line := range strings.SplitSeq(Clean(m.Content), "\n") {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}
