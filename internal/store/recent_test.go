package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley"
)

// thread puts messages into Recent as they are posted, numbered from first, which is also
// the thread's id.
func (r *Recent) thread(kind parley.MessageKind, first, n int) (last parley.MessageID) {
	for i := first; i < first+n; i++ {
		m := parley.Message{ID: parley.MessageID(i), Thread: parley.ThreadID(first), N: i - first + 1, Kind: kind, Body: "text"}
		if i > first {
			m.Prev = parley.MessageID(i - 1)
		}
		r.putPosted(&m)
	}
	return parley.MessageID(first + n - 1)
}

// count is how many messages are held.
func (r *Recent) count() (n int) {
	for i := range r.shelves {
		for _, x := range r.shelves[i].conversations.excerpts {
			n += x.count
		}
	}
	return n
}

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
		{"all", last, 0, 30, 30, 0},
		{"more than there are", last, 0, 100, 30, 0},
		{"down to a number", last, 25, 20, 5, 0},
		{"from the middle", 115, 0, 20, 16, 0},
		{"nothing before the first", 0, 0, 20, 0, 0},
		{"somebody else's", 7, 0, 20, 0, 7},
	} {
		list, next := r.Back(100, c.from, c.downTo, c.limit)
		if len(list) != c.found || next != c.next {
			t.Errorf("%s: %d found, next %d", c.name, len(list), next)
		}
		for i, m := range list {
			if m.ID != c.from-parley.MessageID(i) {
				t.Errorf("%s: place %d is message %d", c.name, i, m.ID)
			}
		}
	}
	if list, next := r.Back(200, last, 0, 20); len(list) != 0 || next != last {
		t.Errorf("in another conversation: %d found, next %d", len(list), next)
	}
	r.putPosted(&parley.Message{ID: 132, Thread: 100, N: 32, Prev: 131}) // 131 was posted at another hub
	if list, next := r.Back(100, 132, 0, 100); len(list) != 1 || next != 131 {
		t.Errorf("with a hole: %d found, next %d", len(list), next)
	}
}

// Whatever is posted, read and rolled back, a conversation is found as it is, and what is
// not found is named.
func TestAConversationIsFoundAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Recent
		var said []parley.Message // oldest first
		id := parley.MessageID(0)
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			id++
			m := parley.Message{ID: id, Thread: 7, N: len(said) + 1, Body: strings.Repeat("x", rapid.SampledFrom([]int{1, 100, largeText + 1}).Draw(t, "length"))}
			if len(said) > 0 {
				m.Prev = said[len(said)-1].ID
			}
			switch rapid.SampledFrom([]string{"posted", "posted", "posted", "elsewhere", "rolled back", "read"}).Draw(t, "what") {
			case "posted":
				r.putPosted(&m)
				said = append(said, m)
			case "elsewhere": // at another hub
				said = append(said, m)
			case "rolled back":
				r.putPosted(&m)
			case "read":
				end := rapid.IntRange(0, len(said)).Draw(t, "end")
				begin := max(0, end-rapid.IntRange(0, 40).Draw(t, "count"))
				list := slices.Clone(said[begin:end])
				slices.Reverse(list)
				r.putRead(list)
			}
			from := rapid.IntRange(0, len(said)).Draw(t, "from")
			downTo, limit := rapid.IntRange(0, from).Draw(t, "down to"), rapid.IntRange(1, 50).Draw(t, "limit")
			want := slices.Clone(said[max(downTo, from-limit):from])
			slices.Reverse(want)
			start := parley.MessageID(0)
			if from > 0 {
				start = said[from-1].ID
			}
			list, next := r.Back(7, start, downTo, limit)
			if next != 0 { // the rest has to be read
				if len(list) >= limit || next != said[from-1-len(list)].ID {
					t.Fatalf("%d found, next is %d", len(list), next)
				}
				want = want[:len(list)]
			}
			if !slices.Equal(list, want) {
				t.Fatalf("found %v, want %v", list, want)
			}
		}
		if n := r.count(); n > mostKept {
			t.Fatalf("%d messages are kept", n)
		}
	})
}

// What was used last stays, in whichever order it came.
func TestWhatIsUsedStaysAndTheRestGoes(t *testing.T) {
	var r Recent
	const room = 10 // conversations of five messages
	one := &excerpt{}
	for n := range 5 {
		one.add(&parley.Message{N: n, Kind: parley.AskMessage, Body: "text"})
	}
	r.Limit(room * one.size() * shelves * 8 / 7)                                      // an eighth is for ended tasks
	thread := func(i int) parley.ThreadID { return parley.ThreadID(1 + 5*i*shelves) } // of one shelf
	kept := func(i int) bool {
		list, next := r.Back(thread(i), parley.MessageID(thread(i)+4), 0, 5)
		return len(list) == 5 && next == 0
	}
	for i := range room {
		r.thread(parley.AskMessage, int(thread(i)), 5)
	}
	for i := range room { // all but number 3 are used again
		if i != 3 && !kept(i) {
			t.Fatalf("conversation %d is gone though there is room", i)
		}
	}
	r.thread(parley.AskMessage, int(thread(room)), 5)
	for i := range room + 1 {
		if kept(i) != (i != 3) {
			t.Errorf("conversation %d is there: %v", i, kept(i))
		}
	}
}

// However much is said, and however long the texts and the reasons of failures are, what is
// kept stays within the limit.
func TestWhatIsKeptStaysWithinItsLimit(t *testing.T) {
	const limit = 8 << 20
	var r Recent
	r.Limit(limit)
	kept := func() (bytes int) {
		for i := range shelves {
			for _, x := range r.shelves[i].conversations.excerpts {
				bytes += cap(x.packed)
				for _, m := range x.large {
					bytes += len(m.Body) + len(m.Context)
				}
			}
			for _, g := range []map[parley.TaskID]*parley.Task{r.shelves[i].ended.young, r.shelves[i].ended.old} {
				for _, t := range g {
					bytes += len(t.Title) + len(t.Error)
				}
			}
		}
		return bytes
	}
	most := 0
	for i := range 4000 {
		text := strings.Repeat("x", i%50*100)
		r.putPosted(&parley.Message{ID: parley.MessageID(i + 1), Thread: parley.ThreadID(i % 211), Body: text, Context: text})
		r.putEnded([]parley.Task{{ID: parley.TaskID(i + 1), State: parley.TaskFailed, Error: text}})
		if i%10 == 0 {
			most = max(most, kept())
		}
	}
	if most > limit || most < limit/4 {
		t.Errorf("at most %d bytes were kept, the limit is %d", most, limit)
	}
	before := r.count()
	r.putPosted(&parley.Message{ID: 5000, Thread: 5000, Body: strings.Repeat("x", limit)})
	if r.count() != before {
		t.Error("a text that is longer than a shelf drove out the others")
	}
}

func TestNotificationsDoNotDriveOutConversations(t *testing.T) {
	var r Recent
	talk := r.thread(parley.AskMessage, 1, 2)
	r.thread(parley.NotificationMessage, 101, 50)
	if n := r.count(); n != 2 {
		t.Errorf("%d messages are kept", n)
	}
	r.putPosted(&parley.Message{ID: 3, Thread: 1, N: 3, Prev: talk, Kind: parley.NotificationMessage})
	if list, next := r.Back(1, 3, 0, 20); len(list) != 3 || next != 0 {
		t.Errorf("a notification in a conversation that goes on: %d found, next %d", len(list), next)
	}
}

// Who reads a conversation, for however long, keeps nobody waiting who writes to another
// one, or reads it.
func TestWhatIsReadKeepsNobodyElseWaiting(t *testing.T) {
	var r Recent
	s := r.shelf(1)
	s.mu.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for thread := 2; thread <= shelves; thread++ {
			last := r.thread(parley.AskMessage, thread, 1)
			if list, _ := r.Back(parley.ThreadID(thread), last, 0, 1); len(list) != 1 {
				t.Errorf("thread %d is not there", thread)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second): // only a failing test waits
		t.Error("who uses other threads waits")
	}
	s.mu.Unlock()
	<-done
}

func TestOutcomeIsKnownOnlyWithItsText(t *testing.T) {
	var r Recent
	r.putPosted(&parley.Message{ID: 5, Body: "42"})
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
	secret := parley.Message{ID: 5, Thread: 1, N: 1, Body: "a secret"}
	r.putPosted(&secret)
	r.putEnded([]parley.Task{{ID: 1, State: parley.Completed, Result: 5}, {ID: 2, State: parley.TaskFailed, Error: "a secret"}})
	r.Forget(5)
	if list, next := r.Back(1, 5, 0, 1); len(list) != 0 || next != 5 {
		t.Errorf("the message: %v, next %d", list, next)
	}
	r.putRead([]parley.Message{{ID: 6, Thread: 1, N: 2, Prev: 5, Body: "something else"}, secret}) // by a reader that loaded both before
	if list, next := r.Back(1, 6, 0, 2); len(list) != 1 || next != 5 {
		t.Errorf("the messages: %v, next %d", list, next)
	}
	for id := range parley.TaskID(3) {
		if task, text, ok := r.Outcome(id); ok {
			t.Errorf("task %d: %+v, %q", id, task, text)
		}
	}
}
