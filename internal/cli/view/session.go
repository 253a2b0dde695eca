package view

import "parley/api"

// Sessions is a table of the browsers in which people are signed in.
func (s Screen) Sessions(list []api.Session) string {
	if len(list) == 0 {
		return "Nobody is signed in. See the page with: parley up --open\n"
	}
	t := table{elastic: 5, least: 12, rows: [][]cell{heads("SESSION", "FOR", "SINCE", "USED", "TOKEN", "BROWSER")}}
	for _, one := range list {
		t.rows = append(t.rows, []cell{
			{text: one.ID, color: Bold}, {text: one.For}, {text: s.Clock(one.Created), color: Dim}, {text: s.Clock(one.Used), color: Dim},
			{text: one.Token}, {text: Line(one.Browser)},
		})
	}
	return t.text(s)
}
