package bridge

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/bubbletest"
)

// What watches a lease is told when it ends, and not while it is renewed.
func TestALeaseEnds(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		var l lease
		lost := false
		if l.left() <= 0 {
			t.Error("a lease without an end has ended")
		}
		l.set(time.Now().Add(10 * time.Second))
		stop := l.whenLost(func() { lost = true })
		defer stop()
		for range 3 {
			time.Sleep(6 * time.Second)
			synctest.Wait()
			if lost || l.left() <= 0 {
				t.Fatal("it was renewed in time")
			}
			l.set(time.Now().Add(10 * time.Second))
		}
		ended := false
		l.whenLost(func() { ended = true })()
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if !lost || l.left() > 0 || ended {
			t.Errorf("lost %v, left %v; told after the watch %v", lost, l.left(), ended)
		}
	})
}

// A hub that wakes up after its lease makes no call of the program, and one that is under
// way is ended.
func TestNoCallAfterTheLease(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		b := &Bridge{Config: Config{Timing: Timing{Limit: time.Minute}}}
		s := sender{Bridge: b}
		b.held.set(time.Now().Add(10 * time.Second))
		_, err := s.call(t.Context(), func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
		if !errors.Is(err, context.Canceled) || b.held.left() != 0 {
			t.Errorf("%v, %v left", err, b.held.left())
		}
		f := (*Failure)(nil)
		_, err = s.call(t.Context(), func(context.Context) (string, error) { t.Error("it was called"); return "", nil })
		if !errors.As(err, &f) || f.Refused {
			t.Errorf("%v", err)
		}
	})
}
