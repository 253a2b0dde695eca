package rules

import (
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// killed is a kill while the hub is at rest.
func (m *machine) killed() {
	m.stage("kill", func() {}, func() {})
	m.kill()
}

// stops is an orderly stop, which gives turns hardly any time. Nothing becomes
// due within it.
func (m *machine) stops() {
	for next := m.world.next(); next != 0 && next.Until(m.world.now) <= hardly; next = m.world.next() {
		m.pass(time.Millisecond, cut{}) // again, if the next thing is due that soon after it
	}
	c := drawCut(m.T)
	if m.world.working() > 1 {
		c.commits = 0 // which of them is given back first is anybody's guess
	}
	c.arm(m.life)
	l := m.life
	m.asks = nil // the doors close first
	m.stage("stop", func() {
		l.leave()
		l.stop()
		l.ran <- <-l.ran // it has ended
	}, func() {
		m.world.claims = false
		m.world.stops()
	})
	m.kill() // nothing is left of it but the process
}

// takeOver starts a hub beside one that continues its turns but hears and claims
// nothing any more: one that was cut off and is believed dead.
func (m *machine) takeOver() {
	m.stage("take over", func() {}, func() {})
	m.leaveBehind(m.life)
	m.start(drawCut(m.T))
}

// leaveBehind leaves a hub alone that is not dead.
func (m *machine) leaveBehind(l *life) {
	l.mu.Lock()
	l.deaf = true
	l.mu.Unlock()
	l.leave()
	l.stop()
	m.asks = nil
	m.world.excuse()
	m.world.dies()
	m.ghosts = append(m.ghosts, l)
	m.life = nil
}

// died reports whether the hub was killed in this stage, and cleans up after it.
func (m *machine) died() bool {
	if m.life == nil || !m.life.isDead() {
		return false
	}
	m.kill()
	return true
}

// kill ends a hub as kill -9 does: what it holds in memory is gone, and so is
// everybody who waits at its doors.
func (m *machine) kill() {
	m.world.excuse()
	for _, l := range append(m.ghosts, m.life) {
		m.end(l)
	}
	m.ghosts, m.life, m.asks = nil, nil, nil
	m.world.dies()
	synctest.Wait()
	if rapid.Bool().Draw(m.T, "reopen") { // else only the hub is another one, which is quicker
		m.closeStore()
	}
}

func (m *machine) end(l *life) {
	l.die()
	close(l.ended)
	l.leave()
	l.unhear()
	if l.stop != nil {
		l.stop()
	}
}

func (m *machine) closeStore() {
	if err := m.db.Close(); err != nil {
		m.Fatalf("closing the store: %v", err)
	}
	m.db = nil
}
