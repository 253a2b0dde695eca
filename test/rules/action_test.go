package rules

import (
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/contact"
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
	return list
}

// attempt is one stage in which somebody at a door tries something. want says
// whether it is to be refused; took, whether it is stored; then follow is what
// comes of it. What was acknowledged must be stored even if the hub dies.
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

// endCut kills the hub if it was to die and did not come so far.
func (m *machine) endCut(c cut) {
	if !m.died() && c.armed {
		m.kill()
	}
}

func (m *machine) person() *agent {
	return m.world.agent(rapid.SampledFrom([]string{"Pat", "Quinn"}).Draw(m.T, "who"))
}

func (m *machine) native() *agent {
	return m.world.agent(rapid.SampledFrom([]string{"Ann", "Bob", "Cid", "Dee"}).Draw(m.T, "agent"))
}

func (m *machine) anyTask() *task { return rapid.SampledFrom(m.world.tasks).Draw(m.T, "task") }

func (m *machine) caller(a *agent) contact.Caller {
	return contact.Caller{Team: m.life.team, Agent: a.id}
}

// drawContact draws a contact with somebody, mostly with somebody who works.
func (m *machine) drawContact() *call {
	c := &call{tool: "contact_agent", body: m.name("contact"), priority: parley.Normal}
	c.pattern = rapid.SampledFrom([]parley.Pattern{parley.Delegate, parley.Delegate, parley.Ask, parley.Ask, parley.Notify}).Draw(m.T, "pattern")
	c.target = rapid.SampledFrom([]string{"Ann", "Bob", "Cid", "Dee", "Ann", "Bob", "Cid", "Dee", "Ann", "Bob", "Cid", "Dee", "Pat", "Quinn", "Nobody"}).Draw(m.T, "target")
	if c.pattern == parley.Delegate {
		c.priority = rapid.SampledFrom([]parley.Priority{parley.Normal, parley.Low, parley.High, parley.Urgent}).Draw(m.T, "priority")
	}
	return c
}

func (m *machine) personContacts() {
	from, c := m.person(), m.drawContact()
	waits := c.pattern == parley.Ask && rapid.Bool().Draw(m.T, "waits")
	m.contact(from, c, waits, drawCut(m.T))
}

// personRepeats says the same again under the same key, as a program does that
// does not know what became of it.
func (m *machine) personRepeats() {
	c := rapid.SampledFrom(m.sent).Draw(m.T, "contact")
	m.contact(m.world.agent(c.id), c, false, drawCut(m.T))
}

func (m *machine) contact(from *agent, c *call, waits bool, at cut) {
	c.id = from.name
	var want *refusal
	if c.sent == nil {
		want = m.world.decide(from, nil, c)
	}
	before := c.sent
	var ask *personAsk
	var got contact.Contact
	r := contact.Request{Target: c.target, Message: c.body, Priority: c.priority, Key: c.body}
	hub, who, ctx := m.life.hub, m.caller(from), m.life.ctx
	m.attempt(from.name+" "+string(c.pattern)+" "+c.target+" "+c.body, at, want, func() (err error) {
		switch {
		case waits && want == nil:
			ask = &personAsk{call: c}
			go func() {
				ask.answer, ask.err = hub.Contacts.Ask(ctx, who, r)
				ask.done = true
			}()
		case c.pattern == parley.Ask:
			got, err = hub.Contacts.OpenAsk(ctx, who, r)
		case c.pattern == parley.Delegate:
			got, err = hub.Contacts.Delegate(ctx, who, r)
		default:
			got, err = hub.Contacts.Notify(ctx, who, r)
		}
		return err
	}, func() bool { return m.world.seen.has(c.body) || ask != nil && m.life.isDead() }, func() {
		if !m.world.seen.has(c.body) {
			return // nobody was told that it was
		}
		if before == nil {
			m.world.contact(from, nil, c)
		}
		if ask != nil {
			m.asks = append(m.asks, ask)
		} else if id := m.world.seen.taskOf(c.body); got.Message != 0 && got.Task.ID != id {
			m.Fatalf("%s was told that it is %s; it is %s", from.name, got.Task.ID, id)
		}
	})
	if before == nil {
		m.sent = append(m.sent, c)
	}
}

func (m *machine) personCancels() {
	by, t := m.person(), m.anyTask()
	m.attempt(by.name+" cancels "+t.id.String(), drawCut(m.T), m.world.mayCancel(t, by),
		func() error { return m.life.hub.Contacts.Cancel(m.life.ctx, m.caller(by), t.id) },
		func() bool { return m.world.seen.state(t) == parley.Cancelled },
		func() { m.world.cancel(t, by, nil) })
}

func (m *machine) personRetries() {
	by, t := m.person(), m.anyTask()
	if missed := m.missed(); len(missed) > 0 && rapid.Bool().Draw(m.T, "missed") {
		t = rapid.SampledFrom(missed).Draw(m.T, "subtask")
	}
	m.attempt(by.name+" retries "+t.id.String(), drawCut(m.T), m.world.mayRetry(t),
		func() error { _, err := m.life.hub.Contacts.Retry(m.life.ctx, m.caller(by), t.id); return err },
		func() bool { return m.world.seen.retried(m.world, t) != 0 },
		func() { m.world.retry(t, m.world.seen.retried(m.world, t)) })
}

// missed are the subtasks that failed somebody who goes on.
func (m *machine) missed() (list []*task) {
	for _, t := range m.world.tasks {
		if m.world.mayRetry(t) == nil && t.parent != nil && t.parent.state.Open() {
			list = append(list, t)
		}
	}
	return list
}

// personTasks are those that were asked of people, ended ones too.
func (m *machine) personTasks() (list []*task) {
	for _, t := range m.world.tasks {
		if t.agent.person {
			list = append(list, t)
		}
	}
	return list
}

func (m *machine) personAnswers() {
	t := rapid.SampledFrom(m.personTasks()).Draw(m.T, "task")
	by := t.agent
	if rapid.IntRange(0, 9).Draw(m.T, "other") == 9 {
		by = m.person()
	}
	want := m.world.mayReply(t, by)
	if rapid.IntRange(0, 3).Draw(m.T, "declines") == 3 {
		m.attempt(by.name+" declines "+t.id.String(), drawCut(m.T), want,
			func() error { return m.life.hub.Contacts.Decline(m.life.ctx, m.caller(by), t.id, "no time.") },
			func() bool { return m.world.seen.state(t) == parley.TaskFailed },
			func() { t.request.shown = true; m.world.fail(t, "no time.") })
		return
	}
	text := m.name("reply")
	m.attempt(by.name+" answers "+t.id.String(), drawCut(m.T), want,
		func() error { return m.life.hub.Contacts.Reply(m.life.ctx, m.caller(by), t.id, text) },
		func() bool { return m.world.seen.state(t) == parley.Completed },
		func() { m.world.reply(t, text) })
}

func (m *machine) statusChanges() {
	by, a := m.person(), m.native()
	contacts, ctx, w := m.life.hub.Contacts, m.life.ctx, m.world
	switch rapid.SampledFrom([]string{"sleep", "wake", "offline", "online", "online"}).Draw(m.T, "status") {
	case "sleep":
		until := micros(time.Now()).Add(time.Duration(rapid.IntRange(1, 300).Draw(m.T, "seconds")) * time.Second)
		m.attempt(a.name+" sleeps", drawCut(m.T), nil,
			func() error { return contacts.Sleep(ctx, m.caller(by), a.name, until.Time()) },
			func() bool { return w.seen.agent(a).SleepingUntil == until }, func() { w.sleep(a, until) })
	case "wake":
		m.attempt(a.name+" wakes", drawCut(m.T), nil,
			func() error { return contacts.Wake(ctx, m.caller(by), a.name) },
			func() bool { return w.seen.agent(a).SleepingUntil == 0 },
			func() {
				if a.sleepingUntil != 0 {
					w.wake(a)
				}
			})
	case "offline":
		m.attempt(a.name+" goes offline", drawCut(m.T), nil,
			func() error { return contacts.Offline(ctx, m.caller(by), a.name) },
			func() bool { return w.seen.agent(a).Offline }, func() { w.goOffline(a) })
	case "online":
		m.attempt(a.name+" comes online", drawCut(m.T), nil,
			func() error { return contacts.Online(ctx, m.caller(by), a.name) },
			func() bool { return !w.seen.agent(a).Offline }, func() { a.offline = false })
	}
}

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

// killed is a kill while the hub is at rest.
func (m *machine) killed() {
	m.stage("kill", func() {}, func() {})
	m.kill()
}

// stops is an orderly stop, which gives turns hardly any time. Nothing becomes
// due within it.
func (m *machine) stops() {
	if next := m.world.next(); next != 0 && next.Until(m.world.now) <= hardly {
		m.pass(time.Millisecond, cut{})
	}
	c := drawCut(m.T)
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

// takeOver starts a hub beside one that goes on with its turns, and hears and
// claims nothing any more: one that was cut off, and taken for dead.
func (m *machine) takeOver() {
	m.stage("take over", func() {}, func() {})
	l := m.life
	l.mu.Lock()
	l.deaf = true
	l.mu.Unlock()
	l.leave()
	l.stop()
	m.asks = nil
	m.world.excuse()
	m.world.dies()
	m.ghosts = append(m.ghosts, l)
	m.start(drawCut(m.T))
}
