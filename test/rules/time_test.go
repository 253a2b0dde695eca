package rules

import (
	"time"

	"pgregory.net/rapid"
)

// timePasses lets time go by: a while, or to the moment something is due, or
// to just before it.
func (m *machine) timePasses() {
	d := time.Duration(rapid.IntRange(0, 90).Draw(m.T, "seconds")) * time.Second
	if next := m.world.next(); next != 0 {
		switch rapid.SampledFrom([]string{"a while", "until", "just before"}).Draw(m.T, "how long") {
		case "until":
			d = time.Until(next.Time())
		case "just before":
			d = time.Until(next.Time()) - time.Microsecond
		}
	}
	m.pass(d, drawCutOnce(m.T, 8)) // much happens by itself when time is over
}

// pass lets time go by, from one thing that happens by itself to the next.
func (m *machine) pass(d time.Duration, c cut) {
	target := time.Now().Add(d).Truncate(time.Microsecond)
	if m.life != nil {
		c.arm(m.life)
	}
	for m.life != nil {
		next := m.world.next()
		if next == 0 || next.Time().After(target) {
			break
		}
		m.stage("time", func() { wait(time.Until(next.Time())) }, func() {})
		if m.died() {
			return
		}
	}
	if m.life == nil || d < pause && !c.armed {
		wait(time.Until(target))
		m.world.now = micros(time.Now())
		return
	}
	m.stage("time", func() { wait(time.Until(target)) }, func() {})
	m.endCut(c)
}

// wait lets the time of the bubble pass.
func wait(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}
