package view

import (
	"fmt"
	"time"

	"parley/api"
)

// Claims is a table of claims.
func (s Screen) Claims(list []api.Claim) string {
	t := table{elastic: 0, least: 16, rows: [][]cell{heads("PATH", "LINES", "HOLDER", "TASK", "LEFT")}}
	for _, c := range list {
		left := max(0, c.Until.Sub(s.Now)).Round(time.Second)
		t.rows = append(t.rows, []cell{
			{text: Line(c.Path), color: Bold}, {text: claimedLines(c)}, {text: c.Holder}, {text: c.TaskID}, {text: Duration(left), color: Dim},
		})
	}
	return t.text(s)
}

func claimedLines(c api.Claim) string {
	switch {
	case c.From == 0:
		return "all"
	case c.To == 0:
		return fmt.Sprintf("%d-", c.From)
	default:
		return fmt.Sprintf("%d-%d", c.From, c.To)
	}
}
