package httpapi

import (
	"testing"
	"time"

	"parley"
	"parley/internal/directory"
	"parley/internal/reading"
)

// Every time that a delivery has is encoded, and no other.
func TestADeliveryIsToldAsItIs(t *testing.T) {
	at := func(second int) parley.Micros {
		return parley.Micros(time.Date(2030, 1, 1, 12, 0, second, 0, time.UTC).UnixMicro())
	}
	s := &Server{cfg: Config{Reading: reading.New(reading.Config{Directory: directory.New(directory.Entry{ID: 1, Name: "Ann"})})}}
	m := reading.Message{Message: parley.Message{ID: 1, At: at(0)}, Deliveries: []parley.Delivery{
		{Recipient: 1}, {Recipient: 1, Delivered: at(1)}, {Recipient: 1, Delivered: at(1), Seen: at(2)},
		{Recipient: 1, Delivered: at(1), Seen: at(2), Answered: at(3)},
	}}
	for i, d := range s.messageRecord(t.Context(), m).Deliveries {
		for n, got := range []*time.Time{d.Delivered, d.Seen, d.Answered} {
			switch {
			case n < i && (got == nil || got.Second() != n+1):
				t.Errorf("%s: moment %d is %v", d.State, n+1, got)
			case n >= i && got != nil:
				t.Errorf("%s: moment %d has come at %v", d.State, n+1, got)
			}
		}
		if want := []string{"accepted", "delivered", "seen", "answered"}[i]; d.State != want || d.Recipient != "Ann" {
			t.Errorf("%s is told as %s to %s", want, d.State, d.Recipient)
		}
	}
}

// Whatever holds a task up is said in words, how long by the clock that is passed in.
// Subtasks are counted elsewhere.
func TestWhatATaskWaitsFor(t *testing.T) {
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	s := New(Config{Reading: reading.New(reading.Config{Directory: directory.New(directory.Entry{ID: 1, Name: "Ann"})}), Clock: func() time.Time { return noon }})
	due := parley.Micros(noon.Add(40 * time.Second).UnixMicro())
	for _, c := range []struct {
		task parley.Task
		want string
	}{
		{parley.Task{State: parley.Waiting, Waits: parley.WaitProvider, Provider: "anthropic", Due: due}, "waiting for anthropic, 40 s"},
		{parley.Task{State: parley.Waiting, Approvals: 1}, "waiting for approval"},
		{parley.Task{State: parley.Waiting, Waits: parley.WaitTree}, "waiting for budget"},
		{parley.Task{State: parley.Queued, Waits: parley.WaitDay, Due: due}, "waiting for tomorrow's budget"},
		{parley.Task{State: parley.Waiting, Waits: parley.WaitDependency}, "waiting for what it depends on"},
		{parley.Task{State: parley.Queued, Waits: parley.WaitRate, Due: due}, "waiting for the rate of who mentioned it"},
		{parley.Task{State: parley.Waiting, OpenChildren: 2}, ""},
		{parley.Task{State: parley.Running}, ""},
		{parley.Task{State: parley.TaskFailed, Approvals: 1}, ""},
	} {
		if got := s.task(t.Context(), c.task, "").Waiting; got != c.want {
			t.Errorf("%+v: %q, want %q", c.task, got, c.want)
		}
	}
}
