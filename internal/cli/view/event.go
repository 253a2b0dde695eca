package view

import (
	"strings"

	"parley/api"
)

// Event is one line of the record: when, what, who to whom, the task and the
// details, with the rule of a refusal at the end.
func (s Screen) Event(e api.Event) string {
	const column = 18
	who := e.Actor
	if e.Target != "" {
		who = strings.TrimSpace(who + " " + s.Arrow() + " " + e.Target)
	}
	line := s.Paint(Dim, s.Clock(e.At)) + "  " + s.Paint(kindColor(e.Kind), pad(e.Kind, column))
	for _, part := range []string{who, e.Task, strings.TrimSuffix(Line(e.Detail), " [rule: "+e.Rule+"]")} {
		if part != "" {
			line += "  " + part
		}
	}
	if e.Rule != "" {
		line += "  " + s.Paint(Yellow, "rule: "+Line(e.Rule))
	}
	return line + "\n"
}

// kindColor marks refusals and failures.
func kindColor(kind string) Color {
	switch {
	case strings.HasSuffix(kind, ".refused"), strings.HasSuffix(kind, ".denied"), kind == "refusals.summed":
		return Yellow
	case kind == "task.failed", kind == "ask.timed_out":
		return Red
	}
	return Cyan
}
