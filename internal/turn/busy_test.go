package turn_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/turn"
)

func busy(after time.Duration) *model.Error {
	return &model.Error{Class: model.RateLimited, Message: "Rate limit exceeded.", Busy: true, Provider: "lab", RetryAfter: after}
}

// A turn that waits for its provider goes on wherever it is cut, and each wait is on
// record once, however often it was refused.
func TestAWaitForAProviderIsCutAtEachCommit(t *testing.T) {
	lost := busy(time.Minute)
	lost.Usage = model.Usage{Input: 7, Estimated: true}
	for name, p := range map[string]plan{
		"parked":            {History: 3, Later: 2, Mail: 2, Refuses: busy(40 * time.Second)},
		"in place":          {History: 3, Refuses: busy(500 * time.Millisecond)},
		"with lost replies": {History: 3, Budget: true, Refuses: lost},
	} {
		p.Replies = []reply{{Busy: 2, Calls: []string{"look", "once"}}, {Calls: []string{"news"}}, {Busy: 3, Slow: true, Calls: []string{"look"}}}
		t.Run(name, func(t *testing.T) {
			whole, commits := undisturbed(t, p)
			if len(whole) != len(p.Replies)+1 {
				t.Fatalf("%d requests", len(whole))
			}
			for cut := range 2 * commits {
				if problem := compareCut(t, p, whole, cut/2+1, cut%2 == 0); problem != "" {
					t.Fatalf("cut at commit %d of %d (before: %v): %s", cut/2+1, commits, cut%2 == 0, problem)
				}
			}
			waits := 2
			if name == "in place" {
				waits = 0
			}
			for cut := range commits + 1 {
				bubbletest.Test(t, func(t *testing.T) {
					w := newWorld(t, p)
					w.play(cut, cut%2 == 0)
					if busy, answered := w.events(parley.EventProviderBusy), w.events(parley.EventProviderAnswered); busy != waits || answered != waits {
						t.Errorf("cut at %d: %d waits began, %d ended, want %d", cut, busy, answered, waits)
					}
				})
			}
		})
	}
}

func (w *world) events(kind parley.EventKind) (n int) {
	w.store.See(func(tx *store.Tx) error {
		list, _, err := tx.LastEvents(store.EventFilter{Team: w.team, Kinds: []parley.EventKind{kind}}, 100)
		n = len(list)
		return err
	})
	return n
}

// run runs what is to be run of the task once.
func (w *world) run(fan *live.Fan) parley.Task {
	runner := &turn.Runner{Store: w.store, Agents: w, Ender: ender{w, w.store}, Rules: w, Pauses: w, Log: slog.New(slog.DiscardHandler), Live: fan, Enricher: w}
	if err := runner.Run(w.t.Context(), w.store.Claim(w.task.ID, 1), nil, w); err != nil {
		w.t.Fatal(err)
	}
	return w.store.Task(w.task.ID)
}

// The wait is a state that everybody sees, and costs no active time.
func TestAWaitForAProviderIsSeen(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newWorld(t, plan{Budget: true, Refuses: busy(40 * time.Second), Replies: []reply{{Busy: 1, Slow: true, Calls: []string{"look"}}}})
		var fan live.Fan
		pieces, stop := fan.Watch(w.task.ID)
		defer stop()
		task := w.run(&fan)
		var now parley.Micros
		w.store.See(func(tx *store.Tx) error { now = tx.Now; return nil })
		if task.State != parley.Waiting || task.Worker != 0 || task.WaitText(now) != "waiting for lab, 40 s" || task.Due.Until(now) > 40*time.Second {
			t.Errorf("%s, %q, due in %s", task.State, task.WaitText(now), task.Due.Until(now))
		}
		if <-pieces; (<-pieces) != (live.Piece{Kind: live.Waiting, Text: "waiting for lab, 40 s"}) {
			t.Error("who watches does not see it")
		}
		time.Sleep(time.Hour)
		w.wake()
		if task = w.run(&fan); task.State != parley.Completed || task.ProviderSince != 0 {
			t.Errorf("%+v", task)
		}
		w.store.See(func(tx *store.Tx) error {
			b, err := tx.Budget(task.ID)
			if b.Spent.Active > 10*time.Second {
				t.Errorf("%s were spent", b.Spent.Active)
			}
			return err
		})
	})
}

// A wait beyond the deadline fails at once, one beyond a quarter of an hour is told.
func TestLongWaits(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newWorld(t, plan{Refuses: busy(20 * time.Minute), Replies: []reply{{Busy: 2}}})
		task := w.run(&live.Fan{})
		want := parley.LongWaitText(task.ID, "lab", task.Due)
		if told := w.told(); task.State != parley.Waiting || len(told) != 1 || told[0] != want {
			t.Errorf("%s, told %q", task.State, told)
		}
		w.store.Change(task.ID, func(t *parley.Task) { t.Deadline = t.Due.Add(-time.Minute) })
		w.wake()
		task = w.run(&live.Fan{})
		if task.State != parley.TaskFailed || !strings.HasPrefix(task.Error, "Rate limit exceeded. lab asks for patience until ") {
			t.Errorf("%s: %s", task.State, task.Error)
		}
	})
}

// told are the notifications that the person has got.
func (w *world) told() (list []string) {
	w.store.See(func(tx *store.Tx) error {
		thread, err := tx.Thread(w.task.Thread)
		if err != nil {
			return err
		}
		messages, err := tx.Back(thread.ID, thread.Last, 0, 50)
		for _, m := range messages {
			if m.Author == w.ann.ID && m.Kind == parley.NotificationMessage {
				list = append(list, m.Body)
			}
		}
		return err
	})
	return list
}

// What calls consumed that came to nothing is stored, and said to be a guess, also if
// the task fails.
func TestLostCallsAreStored(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		refuses := &model.Error{Class: model.TimedOut, Message: "lab did not answer.", Usage: model.Usage{Input: 30, Output: 4, Cost: 9, Estimated: true}}
		w := newWorld(t, plan{Budget: true, Refuses: refuses, Replies: []reply{{Calls: []string{"look"}}, {Busy: 1}}})
		if task := w.run(&live.Fan{}); task.State != parley.TaskFailed {
			t.Fatalf("%+v", task)
		}
		w.store.See(func(tx *store.Tx) error {
			steps, err := tx.Steps(w.task.ID)
			if err != nil {
				return err
			}
			last := steps[len(steps)-1]
			var content struct{ Usage model.Usage }
			if err := json.Unmarshal(last.Content, &content); err != nil {
				return err
			}
			if last.Kind != parley.StepLost || !content.Usage.Estimated || last.Spent.Input != 30 || last.Spent.Output != 4 || last.Spent.Money != 9 {
				t.Errorf("%+v %s", last, last.Content)
			}
			b, err := tx.Budget(w.task.ID)
			if b.Spent.Tokens() != 34 {
				t.Errorf("the budget has %+v", b.Spent)
			}
			return err
		})
	})
}

// A conversation that is too long for its model is put away until it fits, for a
// window that nobody knew and for one that is smaller than was known. The person reads
// once how to set it.
func TestAConversationThatIsTooLong(t *testing.T) {
	for _, window := range []int{0, 100_000} {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				replies := []reply{}
				for range 12 {
					replies = append(replies, reply{Calls: []string{"look", "look"}})
				}
				w := newWorld(t, plan{History: 18, Long: true, Window: window, Reads: 1100, Replies: replies})
				w.play(0, false)
				if task := w.store.Task(w.task.ID); task.State != parley.Completed {
					t.Fatalf("%s: %s", task.State, task.Error)
				}
				if told := w.told(); len(told) != 1 || !strings.Contains(told[0], "set it in parley.yaml: models: {lab/m: {window: ") {
					t.Errorf("told %q", told)
				}
				if n := w.events(parley.EventWindow); n != 1 {
					t.Errorf("%d events", n)
				}
				if n := w.events(parley.EventKept); n == 0 {
					t.Error("nothing was put away")
				}
			})
		})
	}
}

// One strange refusal does not make a model small for everybody: a window that was made
// smaller in vain is as before, and words alone do not make it smaller where the request
// is short for it.
func TestAStrangeRefusalLeavesTheWindow(t *testing.T) {
	for name, c := range map[string]struct {
		plan  plan
		tries int
	}{
		"it persists":      {plan{History: 18, Long: true, Window: 100_000, Reads: 1}, 2},
		"nothing is known": {plan{History: 18, Long: true, Reads: 1}, 2},
		"words alone":      {plan{History: 18, Long: true, Window: 100_000, Reads: 1, Vague: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				w := newWorld(t, c.plan)
				w.play(0, false)
				if task := w.store.Task(w.task.ID); task.State != parley.TaskFailed {
					t.Fatalf("%s: %s", task.State, task.Error)
				}
				if w.learned != 0 {
					t.Errorf("the window is %d from now on", w.learned)
				}
				if w.tooLong < c.tries || c.tries == 1 && w.tooLong > 1 {
					t.Errorf("asked %d times, want %d", w.tooLong, c.tries)
				}
			})
		})
	}
}
