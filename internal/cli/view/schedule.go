package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Schedules is a table of what agents do at given times, with a line for each that has a
// problem.
func (s Screen) Schedules(list []api.Schedule) string {
	t := table{elastic: 4, least: 16, rows: [][]cell{heads("NEXT", "AGENT", "WHEN", "LAST", "ASKED TO")}}
	var notes strings.Builder
	for _, e := range list {
		next := cell{text: s.When(e.Next)}
		if e.Paused {
			next = cell{text: "paused", color: Yellow}
		}
		asked := e.Message
		if e.Channel != "" {
			asked = "in " + e.Channel + ": " + asked
		}
		when := e.Timing
		if e.Name != e.Timing {
			when = e.Name + " (" + e.Timing + ")"
		}
		t.rows = append(t.rows, []cell{next, {text: e.Agent, color: Bold}, {text: Line(when)}, {text: s.lastRun(e), color: Dim}, {text: Line(asked)}})
		if e.Problem != "" {
			fmt.Fprintf(&notes, "%s %s, %s: %s\n", s.Paint(Yellow, "!"), e.Agent, Line(e.Name), Line(e.Problem))
		}
	}
	return t.text(s) + notes.String()
}

// lastRun is the task of the last due time, and how many were missed.
func (s Screen) lastRun(e api.Schedule) string {
	text := e.TaskID
	if text == "" {
		text = "-"
	}
	if e.Skipped > 0 {
		text += fmt.Sprintf(" (%d missed)", e.Skipped)
	}
	return text
}
