package storetest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// steadyClock: the clock jumps ahead and back. Time stands still after that, but not
// the time by which rates refill.
func steadyClock(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	read := func() (now, steady parley.Micros) {
		w.view(func(tx *store.Tx) error { now, steady = tx.Now, tx.Steady; return nil })
		return now, steady
	}
	_, before := read()
	clock.move(2 * time.Hour)
	w.recordNow()
	clock.move(-2 * time.Hour)
	stands, _ := read()
	clock.move(time.Minute)
	now, after := read()
	if now != stands {
		t.Errorf("time stood still at %v and is %v", stands.Time(), now.Time())
	}
	if passed := after.Since(before); passed != time.Minute {
		t.Errorf("%v have passed for the rates in a minute", passed)
	}
}

var errEmpty = errors.New("the bucket is empty")

// bucketAtOnce: an agent sends from many goroutines, as from the turns of several
// hubs. Each reads the bucket and stores what is left of it.
func bucketAtOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.dm()
	const holds, senders, tries = 50, 8, 20
	var sent, refused atomic.Int32
	atOnce(t, senders, func(int) error {
		for range tries {
			err := w.counted(func(tx *store.Tx) error {
				s, err := tx.ContactState(w.ann.ID, w.bob.ID, 0, "")
				if err != nil {
					return err
				}
				rate := s.Sender.Rate.Refilled(tx.Steady)
				if rate.Debt += time.Hour; rate.Debt > holds*time.Hour {
					return errEmpty
				}
				tx.SetRate(w.ann.ID, rate)
				_, err = w.post(tx, s.DM.Main, "hello", s.Target)
				return err
			})
			switch {
			case errors.Is(err, errEmpty):
				refused.Add(1)
			case err != nil:
				return err
			default:
				sent.Add(1)
			}
		}
		return nil
	})
	if sent.Load() != holds || refused.Load() != senders*tries-holds {
		t.Errorf("%d were sent and %d refused; the bucket holds %d", sent.Load(), refused.Load(), holds)
	}
	w.view(func(tx *store.Tx) error {
		a, err := tx.Agent(w.ann.ID)
		if left := a.Rate.Refilled(tx.Steady); left.Debt <= (holds-1)*time.Hour || left.Debt > holds*time.Hour {
			t.Errorf("the bucket lacks %v", left.Debt)
		}
		return err
	})
}

// mentionsAtOnce: turns of several agents end at once, and each counts a mention in
// the chain that has led to all of them, while the first task of the chain makes
// contacts and mentions too. All lock the author's rate, then the chain, then their
// own task.
func mentionsAtOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.dm()
	first := w.task(parley.Task{Agent: w.ann.ID})
	caused := [2]parley.Task{
		w.task(parley.Task{Agent: w.ann.ID, Pattern: parley.Mention, Chain: first.ID}),
		w.task(parley.Task{Agent: w.bob.ID, Pattern: parley.Mention, Chain: first.ID}),
	}
	const rounds = 30
	count := func(tx *store.Tx, chain parley.Task) { tx.SetMentions(chain.ID, chain.Mentions+1, false) }
	steps := []func(tx *store.Tx) error{
		func(tx *store.Tx) error { return w.contact(tx, w.ann.ID, w.bob.ID, first.ID) },
		func(tx *store.Tx) error {
			s, err := tx.PostState(w.ann.ID, 0, first.ID, "")
			count(tx, s.Task)
			return err
		},
		func(tx *store.Tx) error {
			s, err := tx.PostState(w.bob.ID, first.ID, caused[1].ID, "")
			count(tx, s.Chain)
			return err
		},
	}
	for _, own := range caused {
		steps = append(steps, func(tx *store.Tx) error {
			_, chain, err := tx.MentionState(own.Agent, first.ID)
			if err != nil {
				return err
			}
			_, task, err := tx.LockEnding(0, own.ID)
			if err != nil {
				return err
			}
			count(tx, chain)
			tx.UpdateProgress(task)
			return nil
		})
	}
	atOnce(t, len(steps), func(i int) error {
		for range rounds {
			if err := w.counted(steps[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if n := w.readTask(first.ID).Mentions; n != 4*rounds {
		t.Errorf("%d of %d mentions are counted", n, 4*rounds)
	}
}
