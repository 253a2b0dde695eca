package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// A zombie is a turn that has lost its lease and does not know it: its worker was
// taken for dead, or was asleep for a while. It may come back at any moment, with
// any lease that there ever was, and do whatever a turn does. Nothing changes.

// staleLeases are those under which nobody may do anything any more.
func (m *machine) staleLeases() (list []parley.Lease) {
	for _, t := range m.world.tasks {
		if t.agent.person {
			continue
		}
		stored := m.world.seen.tasks[t.id]
		for token := 1; token <= t.taken; token++ {
			if token == t.taken && t.state == parley.Running {
				continue // the one that holds
			}
			l := stored.Lease()
			l.Team, l.Token, l.Worker = m.life.team, int64(token), stored.Worker
			list = append(list, l)
		}
	}
	return list
}

// zombieActs lets one of them do something, mostly one whose task somebody else has
// by now: that is what only the token tells.
func (m *machine) zombieActs() {
	all := m.staleLeases()
	for _, l := range all {
		if m.world.task(l.Task).state == parley.Running {
			all = append(all, l, l, l)
		}
	}
	l := rapid.SampledFrom(all).Draw(m.T, "lease")
	deeds := []string{"ask", "delegate", "notify", "ask a question", "answer", "await", "cancel", "sleep", "end", "fail"}
	deed := rapid.SampledFrom(deeds).Draw(m.T, "deed")
	do := m.zombieDeed(l, deed)
	var err error
	what := fmt.Sprintf("a turn that lost %s (token %d): %s", l.Task, l.Token, deed)
	m.stage(what, func() { err = do() }, func() {})
	if err != nil && !errors.Is(err, parley.ErrLost) {
		m.Fatalf("%s: %v", what, err)
	}
}

// zombieDeed is one thing that a turn does through its tools, or at its end.
func (m *machine) zombieDeed(l parley.Lease, deed string) func() error {
	contacts, ctx := m.life.hub.Contacts, m.life.ctx
	c := contact.Caller{Team: l.Team, Agent: l.Agent, Task: l.Task, Token: l.Token}
	r := contact.Request{Target: "Dee", Message: m.name("zombie")}
	if c.Agent == m.world.agent("Dee").id {
		r.Target = "Cid"
	}
	about := m.anyTask().id
	switch deed {
	case "ask":
		return func() error { _, err := contacts.Ask(ctx, c, r); return err }
	case "delegate":
		return func() error { _, err := contacts.Delegate(ctx, c, r); return err }
	case "notify":
		return func() error { _, err := contacts.Notify(ctx, c, r); return err }
	case "ask a question":
		return func() error { _, err := contacts.Question(ctx, c, r); return err }
	case "answer":
		q := m.askedOf(l)
		return func() error { return contacts.AnswerQuestion(ctx, c, q, "Because.", "") }
	case "await":
		if own := m.world.children(m.world.task(l.Task)); len(own) > 0 {
			about = rapid.SampledFrom(own).Draw(m.T, "subtask").id
		}
		return func() error { _, err := contacts.AwaitTask(ctx, c, about); return unlessUnknown(err) }
	case "cancel":
		return func() error { return contacts.Cancel(ctx, c, about) }
	case "sleep":
		name := m.world.task(l.Task).agent.name
		return func() error { return contacts.Sleep(ctx, c, name, time.Now().Add(time.Hour)) }
	case "fail":
		return func() error {
			_, err := contacts.EndTurn(ctx, parley.TurnEnd{Lease: l, Reason: "no credit."})
			return err
		}
	}
	return func() error { _, err := contacts.EndTurn(ctx, parley.TurnEnd{Lease: l, Text: r.Message}); return err }
}

// unlessUnknown lets pass that a task is none of the caller's.
func unlessUnknown(err error) error {
	if parley.KindOf(err) == parley.NotFound {
		return nil
	}
	return err
}

// askedOf has the agent of a lease asked a question in its task, by nobody's doing:
// the world knows of no questions, and sees only what would come of an answer.
func (m *machine) askedOf(l parley.Lease) (id parley.QuestionID) {
	asker := m.world.agent("Ann").id
	if asker == l.Agent {
		asker = m.world.agent("Bob").id
	}
	err := m.db.Update(context.Background(), func(tx *store.Tx) error {
		q := parley.Question{ID: tx.NewQuestionID(), Team: l.Team, Asker: asker, Target: l.Agent, Text: "Why?", ExpiresAt: tx.Now.Add(1000 * time.Hour)}
		tx.InsertQuestion(&q)
		tx.InsertRoute(&parley.Route{Question: q.ID, N: 1, Agent: l.Agent, By: asker, Task: l.Task})
		id = q.ID
		return nil
	})
	if err != nil {
		m.Fatalf("asking a question: %v", err)
	}
	return id
}

// fallsAsleep lets a model reply and its hub fall asleep on what follows: before the
// reply is stored, before its call is made, held, waited for or answered, or before
// the model is asked again. Another hub takes over.
func (m *machine) fallsAsleep() {
	th := rapid.SampledFrom(m.minds.of(m.life)).Draw(m.T, "thought")
	t, l := m.world.task(th.task), m.life
	c := m.drawCall(t)
	if how := rapid.SampledFrom([]string{"call", "hold", "await", "finish"}).Draw(m.T, "errand"); how != "call" {
		c = &call{tool: "errand"}
		l.errand = how
	}
	c.id = m.name("call")
	commits := rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(m.T, "commits")
	if c.tool == "errand" && l.errand != "finish" {
		commits = min(commits, 1) // what is held or awaited is never stored
	}
	l.freeze(commits)
	a := answer{reply: model.Reply{Calls: []model.Call{{ID: c.id, Name: c.tool, Args: c.args()}}}}
	what := fmt.Sprintf("%s on %s: %s, and the hub falls asleep after %d commits (%s)", th.agent, t.id, c, commits, l.errand)
	m.stage(what, func() {
		th.answer <- a
		rest()
		l.mu.Lock()
		l.left, l.asleep = 0, true // if it did not come so far
		l.mu.Unlock()
	}, func() { m.world.replies(t, []*call{c}) })
	m.leaveBehind(l)
	m.start(cut{})
}

// sleepers are the hubs that have not come back.
func (m *machine) sleepers() (list []*life) {
	for _, l := range m.ghosts {
		if l.isDead() {
			list = append(list, l)
		}
	}
	return list
}

// wakesUp lets a hub go on that was asleep. Whatever its turns were at, they have
// lost their leases.
func (m *machine) wakesUp() {
	l := m.sleepers()[0]
	before := m.world.seen.reserved
	m.stage("a hub wakes up ("+l.errand+")", l.wake, func() {})
	if after := m.world.seen.reserved; !maps.Equal(before, after) {
		m.Fatalf("a hub that woke up has reserved %v; before it was %v", after, before)
	}
}

// errands are a tool that does what the life it belongs to wants. A life that falls
// asleep on a call may have it held or waited for; any other finishes it.
func errands(l *life) []tool.Tool {
	return []tool.Tool{{Tool: model.Tool{Name: "errand", Schema: json.RawMessage(`{"type":"object"}`)}, Contacts: true, Replays: true,
		Run: func(_ context.Context, c tool.Call) (tool.Result, error) {
			switch l.errand {
			case "hold":
				return tool.Result{}, &parley.NeedsApproval{Rule: "errand"}
			case "await":
				return tool.Result{}, &parley.Awaits{Task: c.Lease.Task}
			}
			return tool.Result{Text: "Done."}, nil
		}}}
}
