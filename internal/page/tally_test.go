package page

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/reading"
)

// A sum that takes long holds up nobody: views show the one before and ask again.
func TestNobodyWaitsForALongSum(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		var ts tallies
		const long = 2 * time.Second
		var made atomic.Int64
		look := func(takes time.Duration) (Sum, time.Duration) {
			from := time.Now()
			s, err := ts.sum(t.Context(), tallyKey{team: 1}, func() (reading.Cost, error) {
				time.Sleep(takes)
				return reading.Cost{Total: parley.Cost{Calls: made.Add(1)}}, nil
			})
			if err != nil {
				t.Error(err)
			}
			return s, time.Since(from)
		}
		if s, took := look(long); s.Known || s.Again == 0 || took > waitForSum {
			t.Errorf("the first view: %+v after %v", s, took)
		}
		time.Sleep(long)
		if s, took := look(long); !s.Known || s.Total.Calls != 1 || s.Again != rests*long-waitForSum || took != 0 {
			t.Errorf("once it is there: %+v after %v", s, took)
		}
		time.Sleep(rests * long)
		if s, _ := look(long); s.Total.Calls != 1 || s.Again != askAgain {
			t.Errorf("while the next is made: %+v", s)
		}
		time.Sleep(time.Hour)
		for want := int64(3); want < 6; want++ { // what is quickly made is always made anew
			if s, _ := look(time.Millisecond); s.Total.Calls != want || s.Again != 0 {
				t.Errorf("a quick one: %+v, not %d", s, want)
			}
		}
	})
}

func TestASumThatFailsIsMadeAgain(t *testing.T) {
	var ts tallies
	lost := errors.New("lost")
	for _, want := range []error{lost, lost, nil} {
		s, err := ts.sum(t.Context(), tallyKey{team: 1}, func() (reading.Cost, error) { return reading.Cost{}, want })
		if !errors.Is(err, want) || s.Known != (want == nil) {
			t.Errorf("%+v, %v", s, err)
		}
	}
}
