package provider

import (
	"testing"
	"testing/synctest"
	"time"
)

// After a refusal nobody asks until it is over; then one does, and each reply lets
// twice as many in.
func TestAHundredDoNotKnockAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMood()
		m.jitter = func() float64 { return 0 }
		var in []ticket
		for range 100 {
			tick, wait := m.enter()
			if wait > 0 {
				t.Fatal("it has refused nobody yet")
			}
			in = append(in, tick)
		}
		for _, tick := range in {
			if wait := m.refused(tick, 10*time.Second); wait < 10*time.Second || wait > 30*time.Second {
				t.Errorf("refused for %s", wait)
			}
		}
		if m.row != 1 {
			t.Errorf("one refusal counts %d times", m.row)
		}
		time.Sleep(9 * time.Second)
		if _, wait := m.enter(); wait < time.Second {
			t.Errorf("it is let in after 9 s, %s", wait)
		}
		time.Sleep(time.Second)
		for want := 1; want <= wideOpen; want *= 2 {
			var round []ticket
			for range 200 {
				if tick, wait := m.enter(); wait == 0 {
					round = append(round, tick)
				}
			}
			if len(round) != want {
				t.Fatalf("%d ask at once, want %d", len(round), want)
			}
			for i, tick := range round {
				if i == 0 {
					m.answered(tick)
				} else {
					m.leave(tick)
				}
			}
		}
		for range 300 {
			if _, wait := m.enter(); wait > 0 {
				t.Fatal("it is not open again")
			}
		}
	})
}

// Those who are sent away come back in waves: one, two, four.
func TestWavesOfTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMood()
		m.jitter = func() float64 { return 0 }
		first, _ := m.enter()
		waits := []time.Duration{m.refused(first, 10*time.Second)}
		for range 6 {
			_, wait := m.enter()
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
	synctest.Test(t, func(t *testing.T) {
		m := newMood()
		m.jitter = func() float64 { return 1 }
		for i, want := range []time.Duration{2, 4, 8, 16, 32, 64, 120, 120} {
			tick, wait := m.enter()
			if wait > 0 {
				t.Fatalf("refusal %d: not let in for %s", i, wait)
			}
			m.refused(tick, 0)
			if got := time.Until(m.until); got != want*time.Second {
				t.Errorf("pause %d is %s, want %d s", i+1, got, want)
			}
			time.Sleep(time.Until(m.until))
		}
		tick, _ := m.enter()
		m.answered(tick)
		tick, _ = m.enter()
		m.refused(tick, 0)
		if got := time.Until(m.until); got != 2*time.Second {
			t.Errorf("after a reply the pause is %s", got)
		}
	})
}

// All models of one key and name have one mood, whoever made them; another key has
// its own.
func TestOneMoodForAKeyAndAModel(t *testing.T) {
	var moods Moods
	p := Provider{Name: "lab", Kind: Compatible, BaseURL: "http://127.0.0.1:1"}
	first := moods.of(p, "k", "m")
	if first != moods.of(p, "k", "m") {
		t.Error("two models with one key have two moods")
	}
	if first == moods.of(p, "l", "m") || first == moods.of(p, "k", "n") {
		t.Error("another key or model has the same mood")
	}
}

// What was known of a window is only made smaller.
func TestAWindowIsLearned(t *testing.T) {
	m := newMood()
	if m.learned(100) != 100 || m.learned(0) != 0 {
		t.Error("nothing was learned yet")
	}
	if !m.learn(80) || m.learn(60) || m.learn(90) {
		t.Error("only the first is the first")
	}
	if m.learned(100) != 60 || m.learned(0) != 60 || m.learned(50) != 50 {
		t.Errorf("learned %d, %d, %d", m.learned(100), m.learned(0), m.learned(50))
	}
}
