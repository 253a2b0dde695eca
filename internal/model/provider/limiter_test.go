package provider

import (
	"testing"
	"time"

	"parley/internal/bubbletest"
)

// After a refusal nobody asks until it is over; then one does, and each reply lets
// twice as many in.
func TestAHundredDoNotKnockAtOnce(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.jitter = func() float64 { return 0 }
		var in []ticket
		for range 100 {
			tick, wait := l.enter()
			if wait > 0 {
				t.Fatal("it has refused nobody yet")
			}
			in = append(in, tick)
		}
		for _, tick := range in {
			if wait := l.refused(tick, 10*time.Second); wait < 10*time.Second || wait > 30*time.Second {
				t.Errorf("refused for %s", wait)
			}
		}
		if l.row != 1 {
			t.Errorf("one refusal counts %d times", l.row)
		}
		time.Sleep(9 * time.Second)
		if _, wait := l.enter(); wait < time.Second {
			t.Errorf("it is let in after 9 s, %s", wait)
		}
		time.Sleep(time.Second)
		for want := 1; want <= wideOpen; want *= 2 {
			var round []ticket
			for range 200 {
				if tick, wait := l.enter(); wait == 0 {
					round = append(round, tick)
				}
			}
			if len(round) != want {
				t.Fatalf("%d ask at once, want %d", len(round), want)
			}
			for i, tick := range round {
				if i == 0 {
					l.answered(tick)
				} else {
					l.leave(tick)
				}
			}
		}
		for range 300 {
			if _, wait := l.enter(); wait > 0 {
				t.Fatal("it is not open again")
			}
		}
	})
}

// Those who are sent away come back in waves: one, two, four.
func TestWavesOfTurns(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.jitter = func() float64 { return 0 }
		first, _ := l.enter()
		waits := []time.Duration{l.refused(first, 10*time.Second)}
		for range 6 {
			_, wait := l.enter()
			waits = append(waits, wait)
		}
		want := []time.Duration{10, 12, 12, 14, 14, 14, 14}
		for i, w := range waits {
			if w != want[i]*time.Second {
				t.Errorf("number %d comes after %s, want %d s", i+1, w, want[i])
			}
		}
	})
}

// A provider that does not say how long it wants to be left alone gets longer pauses
// each time, up to a bound, and short ones again after a reply.
func TestGrowingPauses(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.jitter = func() float64 { return 1 }
		for i, want := range []time.Duration{2, 4, 8, 16, 32, 64, 120, 120} {
			tick, wait := l.enter()
			if wait > 0 {
				t.Fatalf("refusal %d: not let in for %s", i, wait)
			}
			l.refused(tick, 0)
			if got := time.Until(l.until); got != want*time.Second {
				t.Errorf("pause %d is %s, want %d s", i+1, got, want)
			}
			time.Sleep(time.Until(l.until))
		}
		tick, _ := l.enter()
		l.answered(tick)
		tick, _ = l.enter()
		l.refused(tick, 0)
		if got := time.Until(l.until); got != 2*time.Second {
			t.Errorf("after a reply the pause is %s", got)
		}
	})
}

// All models of one key and name have one limiter, whoever made them; another key has
// its own.
func TestOneLimiterForAKeyAndAModel(t *testing.T) {
	var limiters Limiters
	p := Provider{Name: "lab", Kind: Compatible, BaseURL: "http://127.0.0.1:1"}
	first := limiters.of(p, "k", "m")
	if first != limiters.of(p, "k", "m") {
		t.Error("two models with one key have two limiters")
	}
	if first == limiters.of(p, "l", "m") || first == limiters.of(p, "k", "n") {
		t.Error("another key or model has the same limiter")
	}
}

// What was known of a window is only made smaller.
func TestAWindowIsLearned(t *testing.T) {
	l := newLimiter()
	if l.learned(100) != 100 || l.learned(0) != 0 {
		t.Error("nothing was learned yet")
	}
	if !l.learn(80) || l.learn(60) || l.learn(90) {
		t.Error("only the first is the first")
	}
	if l.learned(100) != 60 || l.learned(0) != 60 || l.learned(50) != 50 {
		t.Errorf("learned %d, %d, %d", l.learned(100), l.learned(0), l.learned(50))
	}
}

// What was learned is forgotten when it did not help, and after a day. Nobody is told
// twice.
func TestALearnedWindowDoesNotStay(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.learn(60)
		l.forget()
		if l.learned(100) != 100 || l.learned(0) != 0 {
			t.Errorf("after it was forgotten: %d, %d", l.learned(100), l.learned(0))
		}
		if l.learn(80) {
			t.Error("somebody is told again")
		}
		time.Sleep(learnedFor - time.Nanosecond)
		if l.learned(100) != 80 {
			t.Errorf("within the day: %d", l.learned(100))
		}
		time.Sleep(time.Nanosecond)
		if l.learned(100) != 100 {
			t.Errorf("after the day: %d", l.learned(100))
		}
		l.learn(90)
		if l.learned(100) != 90 {
			t.Errorf("learned again: %d", l.learned(100))
		}
	})
}
