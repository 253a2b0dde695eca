package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/contact"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
	turns "parley/internal/turn"
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

// zombieActs lets one of them do something.
func (m *machine) zombieActs() {
	l := rapid.SampledFrom(m.staleLeases()).Draw(m.T, "lease")
	deeds := []string{"turn", "turn", "turn", "ask", "delegate", "notify", "ask a question", "answer", "await", "cancel", "sleep", "end", "fail"}
	deed := rapid.SampledFrom(deeds).Draw(m.T, "deed")
	do := func() error { return nil }
	if deed == "turn" {
		do = m.zombieTurn(l)
	} else {
		do = m.zombieDeed(l, deed)
	}
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

// zombieTurn runs a whole turn under a lease that is lost, from what is stored by
// now: it holds the calls that it finds, or parks with them, or stores what they
// bring; it reserves, thinks, and ends.
func (m *machine) zombieTurn(l parley.Lease) func() error {
	z := zombieMind{
		call:  rapid.SampledFrom([]string{"hold", "await", "finish"}).Draw(m.T, "a call"),
		reply: rapid.SampledFrom([]string{"say", "call", "break"}).Draw(m.T, "reply"),
		child: m.anyTask().id, agent: m.world.task(l.Task).agent,
	}
	if rapid.Bool().Draw(m.T, "bounded") {
		z.daily = parley.Budget{Tokens: 1 << 40}
	}
	hub := m.life.hub
	runner := &turns.Runner{Store: m.life, Agents: z, Ender: hub.Contacts, Rules: z, Pauses: z, Log: slog.New(slog.DiscardHandler), Live: &live.Fan{}}
	ctx := m.life.ctx
	return func() error { return runner.Run(ctx, l, nil, z) }
}

// zombieMind is all that is around such a turn: its definition, its model, its
// tools and its place.
type zombieMind struct {
	call, reply string
	child       parley.TaskID
	agent       *agent
	daily       parley.Budget
}

func (zombieMind) Release()                                                 {}
func (zombieMind) Acquire(context.Context) error                            { return nil }
func (zombieMind) Permit(context.Context, parley.Lease, string, bool) error { return nil }
func (zombieMind) AskManager(context.Context, parley.Lease) error           { return nil }
func (zombieMind) Paused(parley.TeamID) bool                                { return false }
func (zombieMind) Name(parley.AgentID) string                               { return "" }

// Definition is the agent with tools that do what the test wants.
func (z zombieMind) Definition(parley.AgentID) (turns.Agent, bool) {
	a := turns.Agent{Name: z.agent.name, Model: z, Limits: z.agent.limits}
	a.Limits.Daily = z.daily
	for _, name := range []string{"contact_agent", "await_task", "cancel_task", "sleep"} {
		a.Tools = append(a.Tools, tool.Tool{Tool: model.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`)}, Contacts: true, Replays: true, Run: z.run})
	}
	return a, true
}

func (z zombieMind) run(context.Context, tool.Call) (tool.Result, error) {
	switch z.call {
	case "hold":
		return tool.Result{}, &parley.NeedsApproval{Rule: "zombie"}
	case "await":
		return tool.Result{}, &parley.Awaits{Task: z.child}
	}
	return tool.Result{Text: "Done."}, nil
}

// Step answers at once.
func (z zombieMind) Step(context.Context, model.Request, func(model.Delta)) (model.Reply, error) {
	switch z.reply {
	case "call":
		return model.Reply{Calls: []model.Call{{ID: "zombie", Name: "sleep", Args: json.RawMessage(`{}`)}}}, nil
	case "break":
		return model.Reply{}, &model.Error{Class: model.Refused, Message: "no credit."}
	}
	return model.Reply{Text: "I live."}, nil
}
