package rules

import (
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
)

func (m *machine) person() *agent {
	return m.world.agent(rapid.SampledFrom([]string{"Pat", "Quinn"}).Draw(m.T, "who"))
}

func (m *machine) native() *agent {
	return m.world.agent(rapid.SampledFrom([]string{"Ann", "Bob", "Cid", "Dee"}).Draw(m.T, "agent"))
}

func (m *machine) anyTask() *task { return rapid.SampledFrom(m.world.tasks).Draw(m.T, "task") }

func (m *machine) caller(a *agent) access.Caller {
	return access.Caller{Team: m.life.team, Agent: a.id}
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

// personRepeats repeats a contact under the same key, as a program does that does not
// know the outcome.
func (m *machine) personRepeats() {
	c := rapid.SampledFrom(m.sent).Draw(m.T, "contact")
	m.contact(c.from, c, false, drawCut(m.T))
}

func (m *machine) contact(from *agent, c *call, waits bool, at cut) {
	c.from = from
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
