package contact

import (
	"cmp"
	"context"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/question"
	"parley/internal/store"
)

// Forwarding passes a question on.
type Forwarding struct {
	Question parley.QuestionID
	Target   string
	// Enrichment is what the caller knows of it.
	Enrichment string
	Key        string
}

// ForwardQuestion passes a question that the caller was asked on to somebody who
// may know more. That is a contact of the caller's with them, decided like any
// other; the one asked reads the question as the asker's, in their dm. It returns
// the target's name.
func (s *Service) ForwardQuestion(ctx context.Context, c access.Caller, w Forwarding) (string, error) {
	if strings.TrimSpace(w.Enrichment) == "" {
		return "", parley.Errorf(parley.Invalid, "The enrichment is empty.").WithHint("Say what you know, or why the other knows better.")
	}
	if err := s.checkBody(c, w.Enrichment, w.Key); err != nil {
		return "", err
	}
	target, err := s.dir.Find(c.Team, w.Target)
	if err != nil {
		return "", err
	}
	var o opening
	err = s.store.Update(ctx, func(tx *store.Tx) (err error) {
		o = opening{s: s, tx: tx, caller: c, pattern: parley.QuestionPattern}
		if o.account, err = lockBudget(tx, c); err != nil {
			return err
		}
		if _, err := tx.LockAgent(c.Agent); err != nil {
			return err
		}
		q, err := s.lockQuestion(tx, c, w.Question)
		if err != nil {
			return err
		}
		return q.forward(&o, w, target.ID)
	})
	if err != nil && !c.Waits(err) && parley.RuleOf(err) != "" && !parley.IsQuestionGone(err) {
		s.access.RecordRefused(ctx, c, target.ID, err, "forward "+w.Question.String()+": "+o.refusal(err))
	}
	return target.Name, err
}

func (q *lockedQuestion) forward(o *opening, w Forwarding, target parley.AgentID) error {
	own := question.RouteOf(q.routes, o.caller.Agent)
	if made, err := q.forwardedBefore(o.caller, w.Key); made || err != nil {
		return err
	}
	if err := q.mayAct(own); err != nil {
		return err
	}
	if own.State == parley.RouteAnswered {
		return errAnswered(q.ID)
	}
	if err := question.Forward(q.Question, q.routes, o.caller.Agent, target, q.nameOf(target)); err != nil {
		return err
	}
	if err := o.read(target); err != nil {
		return err
	}
	d, err := o.decide()
	if err != nil {
		return err
	}
	return q.storeForward(o, d, own, w)
}

// forwardedBefore reports whether the caller made this very forward before.
func (q *lockedQuestion) forwardedBefore(c access.Caller, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	for _, r := range q.routes {
		if r.By != c.Agent || r.Hop == 0 {
			continue
		}
		t, err := q.tx.Task(r.Task)
		if err != nil {
			return false, err
		}
		m, err := q.tx.Message(t.Request)
		if err != nil {
			return false, err
		}
		if m.Key != key {
			continue
		}
		if made, err := c.MadeIn(q.tx, m.Origin); made || err != nil {
			return made, err
		}
	}
	return false, nil
}

// storeForward stores the next leg: its message, its task, and the enrichment.
func (q *lockedQuestion) storeForward(o *opening, d policy.Decision, own *parley.Route, w Forwarding) error {
	target := o.state.Target
	if d.Rate != o.state.Sender.Rate {
		q.tx.SetRate(o.caller.Agent, d.Rate)
	}
	dm, err := q.tx.EnsureDM(q.Team, q.Asker, target.ID)
	if err != nil {
		return err
	}
	t := newTask(q.tx, order{pattern: parley.QuestionPattern, requester: q.Asker, agent: target, thread: dm.Main, title: titleOf(q.Text),
		lifetime: q.s.dir.Limits(q.Asker).DelegationDeadline})
	putBelow(&t, *q.asking)
	t.Budget = cmp.Or(o.state.Task.Budget, q.asking.Budget)
	t.Callback, t.DelegationDepth = parley.CallbackAnswer, d.DelegationDepth
	if o.account != nil {
		o.account.AddTask()
	}
	m := parley.Message{Team: q.Team, Thread: dm.Main, Author: q.Asker, Kind: parley.QuestionMessage, Body: q.Text, Context: q.Question.Context,
		Task: t.ID, Origin: o.caller.Task, Key: w.Key, Question: q.ID}
	if err := q.tx.Post(&m, store.Recipient{ID: target.ID, Pulls: target.Pulls()}); err != nil {
		return err
	}
	t.Request = m.ID
	q.tx.InsertTask(&t)
	q.tx.InsertRoute(&parley.Route{Question: q.ID, N: len(q.routes) + 1, Agent: target.ID, By: o.caller.Agent, Task: t.ID, Hop: own.Hop + 1,
		Enrichment: w.Enrichment})
	own.State = parley.RouteForwarded
	q.tx.UpdateRoute(own)
	q.Hops++
	q.tx.UpdateQuestion(&q.Question)
	q.tx.Record(parley.Event{Team: q.Team, Kind: parley.EventTask, Actor: q.Asker, Target: target.ID, Task: t.ID, Message: m.ID,
		Detail: string(parley.QuestionPattern)})
	q.tx.Record(parley.Event{Team: q.Team, Kind: parley.EventQuestionForwarded, Actor: o.caller.Agent, Target: target.ID, Task: t.ID,
		Message: m.ID, Detail: q.ID.String()})
	if o.caller.Token == 0 {
		q.complete(own)
	}
	return nil
}
