package store

import (
	"strings"
	"testing"

	"parley"
)

// thread puts messages into Recent as they are posted, numbered from first.
func (r *Recent) thread(kind parley.MessageKind, first, n int) (last parley.MessageID) {
	for i := first; i < first+n; i++ {
		m := parley.Message{ID: parley.MessageID(i), N: i - first + 1, Kind: kind, Body: "text"}
		if i > first {
			m.Prev = parley.MessageID(i - 1)
		}
		r.putPosted(m)
	}
	return parley.MessageID(first + n - 1)
}

func (s *shelf) count() int { return len(s.places) + len(s.large) }

func TestWhatIsMissingIsNamed(t *testing.T) {
	var r Recent
	last := r.thread(parley.AskMessage, 100, 30)
	for _, c := range []struct {
		name          string
		from          parley.MessageID
		downTo, limit int
		found         int
		next          parley.MessageID
	}{
		{"the newest", last, 0, 20, 20, 0},
		{"all", last, 0, 100, 30, 0},
		{"down to a number", last, 25, 20, 5, 0},
		{"nothing before the first", 0, 0, 20, 0, 0},
		{"somebody else's", 7, 0, 20, 0, 7},
	} {
		list, next := r.Back(c.from, c.downTo, c.limit)
		if len(list) != c.found || next != c.next {
			t.Errorf("%s: %d found, next %d", c.name, len(list), next)
		}
		for i, m := range list {
			if m.ID != last-parley.MessageID(i) {
				t.Errorf("%s: place %d is message %d", c.name, i, m.ID)
			}
		}
	}
	r.young.remove(110)
	if list, next := r.Back(last, 0, 100); len(list) != 19 || next != 110 {
		t.Errorf("with a hole: %d found, next %d", len(list), next)
	}
}

func TestWhatIsUsedStaysAndTheRestGoes(t *testing.T) {
	var r Recent
	used, unused := r.thread(parley.AskMessage, 1, 5), r.thread(parley.AskMessage, 101, 5)
	for i := range 3 {
		r.young.size, _ = r.generation() // it is full
		r.thread(parley.AskMessage, 1000+i, 1)
		if list, next := r.Back(used, 0, 5); len(list) != 5 || next != 0 {
			t.Fatalf("generation %d: %d messages that are in use are left, next %d", i, len(list), next)
		}
	}
	if _, next := r.Back(unused, 0, 5); next != unused {
		t.Error("what nobody asked for is still there")
	}
}

// However much is said, and however long the texts and the reasons of failures are, both
// generations together stay within the limit.
func TestWhatIsKeptStaysWithinItsLimit(t *testing.T) {
	const limit = 1 << 20
	var r Recent
	r.Limit(limit)
	kept := func() (bytes int) {
		for _, s := range []shelf{r.young, r.old} {
			for _, slab := range s.slabs {
				bytes += len(slab)
			}
			for _, m := range s.large {
				bytes += len(m.Body) + len(m.Context)
			}
		}
		for _, g := range []map[parley.TaskID]*parley.Task{r.ended.young, r.ended.old} {
			for _, t := range g {
				bytes += len(t.Title) + len(t.Error)
			}
		}
		return bytes
	}
	most := 0
	for i := range 2000 {
		text := strings.Repeat("x", i%50*1000)
		r.put(parley.Message{ID: parley.MessageID(i + 1), Body: text, Context: text})
		r.putEnded([]parley.Task{{ID: parley.TaskID(i + 1), State: parley.TaskFailed, Error: text}})
		most = max(most, kept())
	}
	if most > limit || most < limit/4 {
		t.Errorf("at most %d bytes were kept, the limit is %d", most, limit)
	}
	before := r.young.count()
	r.put(parley.Message{ID: 5000, Body: strings.Repeat("x", limit)})
	if r.young.count() != before {
		t.Error("a text that is longer than a generation drove out the others")
	}
}

func TestNotificationsDoNotDriveOutConversations(t *testing.T) {
	var r Recent
	talk := r.thread(parley.AskMessage, 1, 2)
	r.thread(parley.NotificationMessage, 101, 50)
	if n := r.young.count(); n != 2 {
		t.Errorf("%d messages are kept", n)
	}
	r.putPosted(parley.Message{ID: 3, N: 3, Prev: talk, Kind: parley.NotificationMessage})
	if list, next := r.Back(3, 0, 20); len(list) != 3 || next != 0 {
		t.Errorf("a notification in a conversation that goes on: %d found, next %d", len(list), next)
	}
}

func TestOutcomeIsKnownOnlyWithItsText(t *testing.T) {
	var r Recent
	r.put(parley.Message{ID: 5, Body: "42"})
	r.putEnded([]parley.Task{
		{ID: 1, State: parley.Completed, Result: 5}, {ID: 2, State: parley.Completed, Result: 6},
		{ID: 3, State: parley.Completed}, {ID: 4, State: parley.TaskFailed, Error: "no", Result: 6},
	})
	for id, want := range map[parley.TaskID]struct {
		text string
		ok   bool
	}{1: {"42", true}, 2: {"", false}, 3: {"", true}, 4: {"", true}, 9: {"", false}} {
		task, text, ok := r.Outcome(id)
		if text != want.text || ok != want.ok || ok && task.ID != id {
			t.Errorf("task %d: %v, %q, %v", id, task.ID, text, ok)
		}
	}
}

// A redacted message is forgotten and not taken in again. So is the reason why a task
// failed, which may quote it.
func TestWhatWasRedactedIsNotRemembered(t *testing.T) {
	var r Recent
	r.put(parley.Message{ID: 5, N: 1, Body: "a secret"})
	r.put(parley.Message{ID: 6, N: 1, Body: "something else"})
	r.putEnded([]parley.Task{{ID: 1, State: parley.Completed, Result: 5}, {ID: 2, State: parley.TaskFailed, Error: "a secret"}})
	r.Forget(5)
	r.put(parley.Message{ID: 5, N: 1, Body: "a secret"}) // by a reader that loaded it before
	if list, next := r.Back(5, 0, 1); len(list) != 0 || next != 5 {
		t.Errorf("the message: %v, next %d", list, next)
	}
	if list, _ := r.Back(6, 0, 1); len(list) != 1 {
		t.Error("the other message is gone too")
	}
	for id := range parley.TaskID(3) {
		if task, text, ok := r.Outcome(id); ok {
			t.Errorf("task %d: %+v, %q", id, task, text)
		}
	}
}
