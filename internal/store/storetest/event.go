package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// outOfOrderCommits has 32 writers that commit in a different order than they drew
// their numbers, and a reader that follows the record and looks again after each
// commit. Reading everything "after the last one seen" would miss those that commit
// late.
func outOfOrderCommits(t *testing.T, open Open) {
	w := newWorld(t, open)
	f := &follower{w: w, seen: map[string]int{}}
	const rounds, writers = 5, 32
	for round := range rounds {
		if w.Shared() {
			w.commitInDisorder(f, round, writers)
		} else {
			w.commitFreely(f, round, writers) // one writer commits them in order
		}
	}
	f.read()
	if len(f.seen) != rounds*writers {
		t.Errorf("the reader saw %d of %d events", len(f.seen), rounds*writers)
	}
	for detail, n := range f.seen {
		if n != 1 {
			t.Errorf("event %s was seen %d times", detail, n)
		}
	}
}

// commitInDisorder opens all transactions, lets each draw its number and send
// its event, and commits them one by one in random order.
func (w *world) commitInDisorder(f *follower, round, writers int) {
	var sent, committed sync.WaitGroup
	gates := make([]chan struct{}, writers)
	ended := make([]chan struct{}, writers)
	sent.Add(writers)
	for i := range writers {
		gates[i], ended[i] = make(chan struct{}), make(chan struct{})
		committed.Go(func() {
			defer close(ended[i])
			err := w.Update(context.Background(), func(tx *store.Tx) error {
				tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventStatus, Detail: fmt.Sprint(round, ".", i)})
				_, err := tx.Agent(w.ann.ID) // sends it
				sent.Done()
				<-gates[i]
				return err
			})
			if err != nil {
				w.t.Error(err)
			}
		})
	}
	sent.Wait()
	for _, i := range rand.Perm(writers) {
		close(gates[i])
		<-ended[i]
		f.read()
	}
	committed.Wait()
}

func (w *world) commitFreely(f *follower, round, writers int) {
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for !closed(done) {
			f.read()
		}
	})
	atOnce(w.t, writers, func(i int) error {
		return w.Update(context.Background(), func(tx *store.Tx) error {
			tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventStatus, Detail: fmt.Sprint(round, ".", i)})
			return nil
		})
	})
	close(done)
	reader.Wait()
}

// follower continues reading where it stopped, a few at a time.
type follower struct {
	w      *world
	cursor string
	seen   map[string]int
}

func (f *follower) read() {
	for more := true; more; {
		err := f.w.View(context.Background(), func(tx *store.Tx) error {
			list, next, err := tx.Events(f.w.team.ID, f.cursor, 7)
			for _, e := range list {
				f.seen[e.Detail]++
			}
			f.cursor, more = next, len(list) == 7
			return err
		})
		if err != nil {
			f.w.t.Error(err)
			return
		}
	}
}

// awaitEvents waits until so many events of the team can be read. On a shared server
// a transaction in flight anywhere, even in another test, holds back the events after
// it.
func (w *world) awaitEvents(n int) {
	w.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for there := 0; there < n; {
		w.view(func(tx *store.Tx) error {
			list, _, err := tx.Events(w.team.ID, "", n)
			there = len(list)
			return err
		})
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("%d of %d events can be read", there, n)
		}
	}
}

func eventsOfOneTeam(t *testing.T, open Open) {
	w := newWorld(t, open)
	want := parley.Event{Team: w.team.ID, Kind: parley.EventTask, Actor: 1, Target: 2, Task: 3, Message: 4, Detail: "text"}
	w.update(func(tx *store.Tx) error {
		want.At = tx.Now
		tx.Record(parley.Event{Team: w.team.ID + 1, Kind: parley.EventTask})
		tx.Record(want)
		tx.Record(parley.Event{Team: w.team.ID + 1, Kind: parley.EventTask})
		return nil
	})
	w.awaitEvents(1)
	w.view(func(tx *store.Tx) error {
		list, _, err := tx.Events(w.team.ID, "", 10)
		if len(list) == 1 {
			want.ID, want.Cursor = list[0].ID, list[0].Cursor
		}
		if len(list) != 1 || list[0] != want || want.ID == 0 {
			t.Errorf("events: %+v", list)
		}
		return err
	})
}

func eventCursors(t *testing.T, open Open) {
	w := newWorld(t, open)
	const n = 10
	w.update(func(tx *store.Tx) error {
		for i := range n {
			tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventStatus, Detail: fmt.Sprint(i)})
		}
		return nil
	})
	w.awaitEvents(n)
	cursor := ""
	for i := range n {
		w.view(func(tx *store.Tx) error {
			list, next, err := tx.Events(w.team.ID, cursor, 1)
			if len(list) != 1 || list[0].Detail != fmt.Sprint(i) {
				t.Errorf("event %d after %q: %+v", i, cursor, list)
			}
			if len(list) == 1 && list[0].Cursor != next {
				t.Errorf("the event's own cursor is %q, the page's %q", list[0].Cursor, next)
			}
			cursor = next
			return err
		})
	}
	w.view(func(tx *store.Tx) error {
		list, next, err := tx.Events(w.team.ID, cursor, 1)
		if len(list) != 0 || next != cursor {
			t.Errorf("at the end: %+v, %q becomes %q", list, cursor, next)
		}
		latest, latestErr := tx.LatestEvent()
		if latest != cursor || latestErr != nil {
			t.Errorf("the latest is at %q, not %q: %v", latest, cursor, latestErr)
		}
		return err
	})
	w.view(func(tx *store.Tx) error {
		list, _, err := tx.Events(w.team.ID, "", n)
		if latest, err := tx.LatestEvent(); latest != cursor || len(list) != n || list[n-1].Cursor != cursor || err != nil {
			t.Errorf("the latest is %q after %d, the last was %q, %v", latest, len(list), cursor, err)
		}
		return err
	})
	err := w.View(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.Events(w.team.ID, "the other day", 1)
		return err
	})
	if parley.KindOf(err) != parley.Invalid {
		t.Errorf("a place that is none: %v", err)
	}
}
