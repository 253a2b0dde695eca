package storetest

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// stepTimes reads when the steps of some tasks were stored, in their order and without
// their content.
func stepTimes(t *testing.T, open Open) {
	w := newWorldAt(t, open, newClock().now)
	one, other, none := w.task(parley.Task{}), w.task(parley.Task{}), w.task(parley.Task{})
	w.update(func(tx *store.Tx) error {
		for n := 2; n > 0; n-- {
			s := stepOf(one.ID, n)
			s.Spent = parley.Spending{Input: 3, Money: 7, Active: time.Second}
			tx.InsertStep(s)
		}
		tx.InsertStep(stepOf(other.ID, 1))
		return nil
	})
	w.view(func(tx *store.Tx) error {
		of, err := tx.StepTimes([]parley.TaskID{one.ID, none.ID})
		if err != nil {
			return err
		}
		list := of[one.ID]
		if len(of) != 1 || len(list) != 2 {
			t.Fatalf("read %+v", of)
		}
		for i, s := range list {
			if s.Task != one.ID || s.N != i+1 || s.Kind != parley.StepReply || s.At == 0 || len(s.Content) > 0 || s.Spent != (parley.Spending{Input: 3, Money: 7, Active: time.Second}) {
				t.Errorf("%d: %+v", i, s)
			}
		}
		return nil
	})
}
