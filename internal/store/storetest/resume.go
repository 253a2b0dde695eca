package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// resumedTasks makes a chain of roots that go on from one another, days apart: the steps
// of the first stay as long as the last is young.
func resumedTasks(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	thread := w.dm().Main
	first, request, reply := w.ended(parley.Task{}, thread)
	w.update(func(tx *store.Tx) error {
		tx.PutInbox(&first, reply.ID)
		tx.UpdateTask(&first)
		return nil
	})
	clock.move(48 * time.Hour)
	second, _, _ := w.ended(parley.Task{Resumes: first.ID}, thread)
	clock.move(48 * time.Hour)
	third, _, _ := w.ended(parley.Task{Resumes: second.ID}, thread)
	if got := w.sweep(); len(got) != 0 {
		t.Errorf("removed %v", got)
	}
	w.update(func(tx *store.Tx) error {
		next, err := tx.ResumedBy(first.ID)
		_, none := tx.ResumedBy(third.ID)
		if next.ID != second.ID || !errors.Is(none, store.ErrNotFound) {
			t.Errorf("resumed by %s, and %v", next.ID, none)
		}
		turn, steps, extent := tx.StepExtent(first.ID)
		if turn != 1 || steps != 1 {
			t.Errorf("%d steps up to turn %d", steps, turn)
		}
		roots, linked := tx.ResumedRoots(second.ID)
		slices.Sort(roots)
		if !slices.Equal(roots, []parley.TaskID{first.ID, third.ID}) {
			t.Errorf("shares steps with %v", roots)
		}
		tx.TakeInbox(&third, first)
		inbox, taken := tx.Inbox(third.ID, 0, 1)
		if third.InboxCount != 1 || len(inbox) != 1 || inbox[0].ID != reply.ID {
			t.Errorf("has %d: %v", third.InboxCount, inbox)
		}
		return errors.Join(err, extent, linked, taken)
	})
	clock.move(48 * time.Hour)
	w.ended(parley.Task{}, thread)
	if got := w.sweep(); len(got) != 6 || got[0] != request.ID {
		t.Errorf("in the end removed %v", got)
	}
}
