package view

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/api"
)

// Agents is a table of the team's members.
func (s Screen) Agents(agents []api.Agent) string {
	t := table{elastic: 3, least: 16, rows: [][]cell{heads("AGENT", "STATUS", "TASKS", "ABOUT")}}
	unread := slices.ContainsFunc(agents, func(a api.Agent) bool { return a.Unread > 0 })
	if unread {
		t.elastic, t.rows = 4, [][]cell{heads("AGENT", "STATUS", "TASKS", "UNREAD", "ABOUT")}
	}
	for _, a := range agents {
		row := []cell{
			{text: leading(a), color: Bold},
			{text: s.status(a), color: statusColor(a.Status)},
			{text: openTasks(a)},
		}
		if unread {
			row = append(row, cell{text: s.unread(a)})
		}
		t.rows = append(t.rows, append(row, cell{text: about(a), color: Dim}))
	}
	text := t.text(s)
	for _, a := range agents {
		if a.Lead {
			text += s.Paint(Dim, "* the one to talk to first") + "\n"
		}
		if a.Mistake != "" {
			text += s.Bad() + " " + a.Name + " works as before, because of a mistake in its file: " + Line(a.Mistake) + "\n"
		}
	}
	return text
}

// leading is the name, with a mark if it is the one to talk to first.
func leading(a api.Agent) string {
	if a.Lead {
		return a.Name + " *"
	}
	return a.Name
}

// unread is how much somebody has not read, and since when.
func (s Screen) unread(a api.Agent) string {
	if a.Unread == 0 || a.UnreadSince == nil {
		return "-"
	}
	return fmt.Sprintf("%d since %s", a.Unread, s.Clock(*a.UnreadSince))
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
