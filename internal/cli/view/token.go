package view

import (
	"cmp"

	"parley/api"
)

// NewToken shows a token that was just made. The token stands on a line of its own and
// is never cut, so that it can be copied.
func (s Screen) NewToken(t api.NewToken, address string) string {
	text := s.Paint(Bold, t.ID+" of "+t.For+". It is shown only now:") + "\n\n" + t.Secret + "\n\n"
	if t.Expires != nil {
		text += "It ends " + s.When(*t.Expires) + ".\n"
	}
	return text + "Programs find the hub with it in their environment:\n  PARLEY_URL=" + address + "\n  PARLEY_TOKEN=...\n"
}

// Tokens is a table of tokens.
func (s Screen) Tokens(list []api.Token) string {
	t := table{elastic: 6, least: 12, rows: [][]cell{heads("TOKEN", "FOR", "STATE", "MADE BY", "USED", "ENDS", "LABEL")}}
	for _, tok := range list {
		used, ends, color := "never", "never", Green
		if tok.Used != nil {
			used = s.Clock(*tok.Used)
		}
		if tok.Expires != nil {
			ends = s.Clock(*tok.Expires)
		}
		if tok.Revoked != nil {
			ends = s.Clock(*tok.Revoked)
		}
		if tok.State != "valid" {
			color = Dim
		}
		t.rows = append(t.rows, []cell{
			{text: tok.ID, color: Bold}, {text: tok.For}, {text: tok.State, color: color}, {text: cmp.Or(tok.CreatedBy, "the hub")},
			{text: used, color: Dim}, {text: ends, color: Dim}, {text: Line(tok.Label)},
		})
	}
	return t.text(s)
}
