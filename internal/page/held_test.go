package page

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/reading"
)

func TestWhatHoldsUpAMessage(t *testing.T) {
	queued := parley.Task{ID: 101, State: parley.Queued}
	agent := func(s parley.Status, reason string, running int) reading.Agent {
		return reading.Agent{Status: s, Reason: reason, Open: parley.OpenTasks{Running: running}}
	}
	for _, c := range []struct {
		name       string
		agent      reading.Agent
		task       parley.Task
		mail       bool
		now, waits string
		want       string
	}{
		{"offline", agent(parley.StatusOffline, "", 0), queued, false, "offline", "", "it is offline"},
		{"a client that is away", agent(parley.StatusSleeping, parley.NotConnected, 0), queued, false, "", "", "it is not connected"},
		{"asleep", agent(parley.StatusSleeping, "until 2030", 0), queued, false, "sleeps until 14:00", "", "it sleeps until 14:00"},
		{"over budget", agent(parley.StatusIdle, "", 0), queued, false, "", "waiting for tomorrow's budget", "waiting for tomorrow's budget"},
		{"the rate", agent(parley.StatusIdle, "", 0), queued, false, "", "waiting for the rate of who mentioned it", "waiting for the rate of who mentioned it"},
		{"busy", agent(parley.StatusWorking, "", 2), queued, false, "", "", "queued behind 2 tasks that it works on"},
		{"mail", agent(parley.StatusIdle, "", 0), parley.Task{}, true, "", "", "its next turn shows it"},
		{"about to begin", agent(parley.StatusIdle, "", 0), queued, false, "", "", ""},
	} {
		if got := strings.ReplaceAll(heldBy(c.agent, c.task, parley.Delivery{Mail: c.mail}, c.now, c.waits), thin, " "); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
