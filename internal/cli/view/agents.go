package view

import (
	"fmt"
	"strings"

	"parley"
	"parley/internal/api"
)

// Agents is a table of the team's members.
func (s Screen) Agents(agents []api.Agent) string {
	t := table{elastic: 3, least: 16, rows: [][]cell{heads("AGENT", "STATUS", "TASKS", "ABOUT")}}
	for _, a := range agents {
		t.rows = append(t.rows, []cell{
			{text: a.Name, color: Bold},
			{text: s.status(a), color: statusColor(a.Status)},
			{text: openTasks(a)},
			{text: about(a), color: Dim},
		})
	}
	text := t.text(s)
	for _, a := range agents {
		if a.Mistake != "" {
			text += s.Bad() + " " + a.Name + " works as before, because of a mistake in its file: " + Line(a.Mistake) + "\n"
		}
	}
	return text
}

// Status says what an agent is doing.
func (s Screen) Status(a api.Agent) string {
	if a.SleepingUntil != nil && a.SleepingUntil.After(s.Now) {
		return "sleeping until " + s.When(*a.SleepingUntil)
	}
	return s.status(a)
}

// status is Status, short enough for a column.
func (s Screen) status(a api.Agent) string {
	if a.SleepingUntil != nil && a.SleepingUntil.After(s.Now) {
		return "sleeping until " + s.Clock(*a.SleepingUntil)
	}
	text := strings.ReplaceAll(a.Status, "_", " ")
	if a.Reason != "" && saysMore(a) {
		text += " (" + Line(a.Reason) + ")"
	}
	return text
}

// saysMore reports whether the reason adds to what the column of tasks shows.
func saysMore(a api.Agent) bool {
	return a.Status != string(parley.StatusWorking) && a.Status != string(parley.StatusIdle)
}

// openTasks leaves out zeros, which would hide the other numbers.
func openTasks(a api.Agent) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{a.Running, "running"}, {a.Waiting, "waiting"}, {a.Queued, "queued"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func about(a api.Agent) string {
	text := Line(a.Description)
	if a.Kind == "native" {
		return text
	}
	if text == "" {
		return a.Kind
	}
	return a.Kind + ": " + text
}
