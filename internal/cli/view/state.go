package view

import (
	"time"

	"parley"
	"parley/api"
)

// sign is how a task's state looks. signOf is the only table of them. A state
// that only a newer hub knows is a question mark.
type sign struct {
	unicode, ascii string
	color          Color
}

func signOf(state string) sign {
	switch state {
	case parley.Queued.String():
		return sign{"◌", "o", Dim}
	case parley.Running.String():
		return sign{"●", "*", Cyan}
	case parley.Waiting.String():
		return sign{"◐", "~", Yellow}
	case parley.Completed.String():
		return sign{"✓", "+", Green}
	case parley.TaskFailed.String():
		return sign{"✗", "x", Red}
	case parley.Cancelled.String():
		return sign{"⊘", "-", Dim}
	}
	return sign{"?", "?", Plain}
}

func (s Screen) Symbol(state string) string {
	g := signOf(state)
	return s.Paint(g.color, s.glyph(g.unicode, g.ascii))
}

func (s Screen) State(state string) string { return s.Paint(signOf(state).color, state) }

func Ended(t api.Task) bool { return t.Ended != nil }

// Elapsed is how long a task took, or has taken so far.
func (s Screen) Elapsed(t api.Task) time.Duration {
	if t.Ended != nil {
		return t.Ended.Sub(t.Created)
	}
	return max(0, s.Now.Sub(t.Created))
}

func statusColor(status string) Color {
	switch parley.Status(status) {
	case parley.StatusWorking:
		return Cyan
	case parley.StatusAwaitingApproval, parley.StatusAwaitingDelegation:
		return Yellow
	case parley.StatusIdle:
		return Green
	case parley.StatusOffline:
		return Red
	}
	return Dim
}
