package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// A zombie is a turn that has lost its lease without knowing: its worker was believed
// dead, or was asleep for a while. It may return at any moment, with any lease that
// ever existed, and do whatever a turn does. Nothing changes.

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
			l.Team, l.Token = m.life.team, int64(token)
			list = append(list, l)
		}
	}
	return list
}

// zombieActs lets one of them do something, mostly one whose task somebody else has
// by now: only the token tells these apart.
func (m *machine) zombieActs() {
	stale := m.staleLeases()
	weighted := stale
	for _, l := range stale {
		if m.world.task(l.Task).state == parley.Running {
			weighted = append(weighted, l, l, l)
		}
	}
	l := rapid.SampledFrom(weighted).Draw(m.T, "lease")
	deed := rapid.SampledFrom(deeds).Draw(m.T, "deed")
	z := zombie{m: m, ctx: m.life.ctx, lease: l, who: access.Caller{Team: l.Team, Agent: l.Agent, Task: l.Task, Token: l.Token}}
	do := deed.prepare(&z)
	var err error
	what := fmt.Sprintf("a turn that lost %s (token %d): %s", l.Task, l.Token, deed.name)
	m.stage(what, func() { err = do() }, func() {})
	if !errors.Is(err, parley.ErrLost) && !z.mayBeTold(deed.name, err) {
		m.Fatalf("%s: %v", what, err)
	}
}

// zombie is such a turn.
type zombie struct {
	m     *machine
	ctx   context.Context
	lease parley.Lease
	who   access.Caller
}

// mayBeTold accepts two things: that a task is not the caller's, and that the words
// of a cancelled task are dropped and put on record.
func (z *zombie) mayBeTold(deed string, err error) bool {
	cancelled := z.m.world.task(z.lease.Task).state == parley.Cancelled
	return deed == "await" && parley.KindOf(err) == parley.NotFound || (deed == "end" || deed == "fail") && err == nil && cancelled
}

// request is to somebody else.
func (z *zombie) request() contact.Request {
	target := "Dee"
	if z.who.Agent == z.m.world.agent(target).id {
		target = "Cid"
	}
	return contact.Request{Target: target, Message: z.m.name("zombie")}
}

// awaitable is a subtask that could be awaited, if there is one.
func (z *zombie) awaitable() parley.TaskID {
	own := z.m.world.children(z.m.world.task(z.lease.Task))
	open := slices.DeleteFunc(slices.Clone(own), func(t *task) bool {
		return !t.state.Open() || t.callback != parley.CallbackLate && t.callback != parley.CallbackReply
	})
	switch {
	case len(open) > 0:
		own = open
	case len(own) == 0:
		own = z.m.world.tasks
	}
	return rapid.SampledFrom(own).Draw(z.m.T, "subtask").id
}

// deeds are what a turn does through its tools and at its end. prepare draws what is
// needed and returns the deed.
var deeds = []deed{
	{"ask", func(z *zombie) func() error {
		r := z.request()
		return func() error { return errOf(z.m.life.hub.Contacts.Ask(z.ctx, z.who, r)) }
	}},
	{"delegate", func(z *zombie) func() error {
		r := z.request()
		return func() error { return errOf(z.m.life.hub.Contacts.Delegate(z.ctx, z.who, r)) }
	}},
	{"notify", func(z *zombie) func() error {
		r := z.request()
		return func() error { return errOf(z.m.life.hub.Contacts.Notify(z.ctx, z.who, r)) }
	}},
	{"ask a question", func(z *zombie) func() error {
		r := z.request()
		return func() error { return errOf(z.m.life.hub.Contacts.Question(z.ctx, z.who, r)) }
	}},
	{"answer", func(z *zombie) func() error {
		q := z.m.askedOf(z.lease)
		return func() error { return z.m.life.hub.Contacts.AnswerQuestion(z.ctx, z.who, q, "Because.", "") }
	}},
	{"await", func(z *zombie) func() error {
		id := z.awaitable()
		return func() error { return errOf(z.m.life.hub.Contacts.AwaitTask(z.ctx, z.who, id)) }
	}},
	{"cancel", func(z *zombie) func() error {
		id := z.m.anyTask().id
		return func() error { return z.m.life.hub.Contacts.Cancel(z.ctx, z.who, id) }
	}},
	{"sleep", func(z *zombie) func() error {
		name := z.m.world.task(z.lease.Task).agent.name
		return func() error { return z.m.life.hub.Contacts.Sleep(z.ctx, z.who, name, time.Now().Add(time.Hour)) }
	}},
	{"end", func(z *zombie) func() error {
		e := parley.TurnEnd{Lease: z.lease, Text: z.m.name("zombie")}
		return func() error { return errOf(z.m.life.hub.Contacts.EndTurn(z.ctx, e)) }
	}},
	{"fail", func(z *zombie) func() error {
		e := parley.TurnEnd{Lease: z.lease, Reason: "no credit."}
		return func() error { return errOf(z.m.life.hub.Contacts.EndTurn(z.ctx, e)) }
	}},
}

type deed struct {
	name    string
	prepare func(z *zombie) (do func() error)
}

// GoString is for the log of draws.
func (d deed) GoString() string { return d.name }

func errOf[T any](_ T, err error) error { return err }

// askedOf stores a question to the agent of a lease in its task. The world knows no
// questions, and sees only what an answer would lead to.
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
		commits = min(commits, 1) // the second commit would be the hold, or the waiting, itself
	}
	l.freeze(commits)
	a := answer{reply: model.Reply{Calls: []model.Call{{ID: c.id, Name: c.tool, Args: c.args()}}}}
	what := fmt.Sprintf("%s on %s: %s, and the hub falls asleep after %d commits (%s)", th.agent, t.id, c, commits, l.errand)
	m.stage(what, func() {
		th.answer <- a
		rest()
		l.fallAsleep() // if it did not get that far
	}, func() { m.world.replies(t, []*call{c}) })
	m.leaveBehind(l)
	m.start(cut{})
}

// sleepers are the hubs that have not come back.
func (m *machine) sleepers() (list []*life) {
	for _, l := range m.ghosts {
		if l.isAsleep() {
			list = append(list, l)
		}
	}
	return list
}

// wakesUp lets a sleeping hub continue. Whatever its turns were doing, they have lost
// their leases.
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
	return []tool.Tool{tool.Outside(json.RawMessage(`{"type":"object"}`), tool.Spec[json.RawMessage]{Name: "errand", Contacts: true, Replays: true,
		Run: func(_ context.Context, c tool.Call, _ json.RawMessage) (tool.Result, error) {
			switch l.errand {
			case "hold":
				return tool.Result{}, &parley.NeedsApproval{Rule: "errand"}
			case "await":
				return tool.Result{}, &parley.Awaits{Task: c.Lease.Task}
			}
			return tool.Result{Text: "Done."}, nil
		}})}
}
