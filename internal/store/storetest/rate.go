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
