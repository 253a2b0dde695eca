package rules

import (
	"time"

	"pgregory.net/rapid"
)

// act does one of the things that can be done now.
func (m *machine) act() {
	m.pass(time.Millisecond, cut{}) // no two things happen at the same moment
	do := rapid.SampledFrom(m.actions()).Draw(m.T, "do")
	do.do()
}

// action is something that can be done; String is for the log.
type action struct {
	name string
	do   func()
}

func (a action) String() string   { return a.name }
func (a action) GoString() string { return a.name }

// actions lists what can be done, what matters most several times.
func (m *machine) actions() (list []action) {
	can := func(weight int, name string, do func()) {
		for range weight {
			list = append(list, action{name, do})
		}
	}
	if m.life == nil {
		can(4, "start", func() { m.start(drawCut(m.T)) })
		can(1, "time", m.timePasses)
		return list
	}
	can(2, "contact", m.personContacts)
	if n := len(m.minds.of(m.life)); n > 0 {
		can(24, "think", m.modelReplies)
	}
	if m.world.working() < 4 {
		can(8, "contact", m.personContacts)
	}
	can(3, "time", m.timePasses)
	if len(m.sent) > 0 {
		can(1, "repeat", m.personRepeats)
	}
	if len(m.world.tasks) > 0 {
		can(1, "cancel", m.personCancels)
		can(1, "retry", m.personRetries)
	}
	if len(m.personTasks()) > 0 {
		can(2, "answer", m.personAnswers)
	}
	can(2, "status", m.statusChanges)
	can(1, "kill", m.killed)
	if m.life.patient {
		can(1, "take over", m.takeOver)
	} else {
		can(1, "stop", m.stops)
	}
	if len(m.staleThoughts()) > 0 {
		can(6, "stale", m.staleReplies)
	}
	often := 1
	if m.haunted {
		often = 12
	}
	if len(m.staleLeases()) > 0 {
		can(2*often, "zombie", m.zombieActs)
	}
	if len(m.minds.of(m.life)) > 0 && m.life.patient {
		can(2*often, "fall asleep", m.fallsAsleep)
	}
	if len(m.sleepers()) > 0 {
		can(8*often, "wake up", m.wakesUp)
	}
	return list
}

// attempt is one stage in which somebody outside tries something. want says whether
// it is to be refused, took whether it is stored; follow is then what results from
// it. What was acknowledged must be stored even if the hub dies.
func (m *machine) attempt(what string, c cut, want *refusal, do func() error, took func() bool, follow func()) {
	c.arm(m.life)
	var err error
	m.stage(what, func() { err = do() }, func() {
		died := m.life.isDead()
		switch {
		case want != nil:
			if !want.is(err) && !died {
				m.Fatalf("%s: %v; want %v", what, err, want)
			}
		case err != nil && !died:
			m.Fatalf("%s: %v; want it done", what, err)
		case took():
			follow()
		case err == nil:
			m.Fatalf("%s was acknowledged and is not stored", what)
		}
	})
	m.endCut(c)
}

// endCut kills the hub if it was to die but did not get that far.
func (m *machine) endCut(c cut) {
	if !m.died() && c.armed {
		m.kill()
	}
}
