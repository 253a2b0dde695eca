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
	if err := s.checkWords(c, w.Enrichment, w.Key); err != nil {
		return "", err
	}
	target, err := s.dir.Find(c.Team, w.Target)
	if err != nil {
		return "", err
	}
	o := opening{s: s, caller: c, pattern: parley.Query}
	err = s.store.Update(ctx, func(tx *store.Tx) (err error) {
		o.tx, o.refused = tx, nil
		if o.account, err = lockBudget(tx, c); err != nil {
			return err
		}
		if _, err := tx.LockAgent(c.Agent); err != nil {
			return err
		}
		i, err := s.lockInquiry(tx, c, w.Question)
		if err != nil {
			return err
		}
		return i.forward(&o, w, target.ID)
	})
	if err != nil && !c.Waits(err) && parley.RuleOf(err) != "" && !parley.IsQuestionMiss(err) {
		s.access.Refused(ctx, c, target.ID, err, "forward "+w.Question.String()+": "+o.refusal(err))
	}
	return target.Name, err
}

func (i *inquiry) forward(o *opening, w Forwarding, target parley.AgentID) error {
	own := question.Of(i.routes, o.caller.Agent)
	if made, err := i.forwardedBefore(o.caller, w.Key); made || err != nil {
		return err
	}
	if err := i.mayAct(own); err != nil {
		return err
	}
	if own.State == parley.RouteAnswered {
		return parley.Errorf(parley.Conflict, "You have answered %s already.", i.ID)
	}
	if err := question.Forward(i.Question, i.routes, o.caller.Agent, target, i.called(target)); err != nil {
		return err
	}
	if err := o.read(target); err != nil {
		return err
	}
	d, err := o.decide()
	if err != nil {
		return err
	}
	return i.pass(o, d, own, w)
}

// forwardedBefore reports whether the caller made this very forward before.
func (i *inquiry) forwardedBefore(c access.Caller, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	for _, r := range i.routes {
		if r.By != c.Agent || r.Hop == 0 {
			continue
		}
		t, err := i.tx.Task(r.Task)
		if err != nil {
			return false, err
		}
		m, err := i.tx.Message(t.Request)
		if err != nil {
			return false, err
		}
		if m.Key == key && m.Origin == c.Task {
			return true, nil
		}
	}
	return false, nil
}

// pass stores the next leg: its message, its task, and why.
func (i *inquiry) pass(o *opening, d policy.Decision, own *parley.Route, w Forwarding) error {
	target := o.state.Target
	if d.Rate != o.state.Sender.Rate {
		i.tx.SetRate(o.caller.Agent, d.Rate)
	}
	dm, err := i.tx.EnsureDM(i.Team, i.Asker, target.ID)
	if err != nil {
		return err
	}
	t := parley.Task{
		ID: i.tx.NewTaskID(), Team: i.Team, Parent: i.Task, Root: i.asking.Root, Pattern: parley.Query, Requester: i.Asker, Agent: target.ID,
		Thread: dm.Main, Budget: cmp.Or(o.state.Task.Budget, i.asking.Budget), Title: parley.Clip(i.Text, 80), Priority: parley.Normal,
		State: parley.Queued, Callback: parley.CallbackAnswer, Due: d.Due, DelegationDepth: d.DelegationDepth,
		Deadline: max(i.tx.Now, d.Due).Add(i.s.dir.Limits(i.Asker).DelegationDeadline),
	}
	t.Root = cmp.Or(t.Root, t.ID)
	if o.account != nil {
		o.account.AddTask()
	}
	m := parley.Message{Team: i.Team, Thread: dm.Main, Author: i.Asker, Kind: parley.QuestionMessage, Body: i.Text, Context: i.Question.Context,
		Task: t.ID, Origin: o.caller.Task, Key: w.Key, Question: i.ID}
	if err := i.tx.Post(&m, store.Recipient{ID: target.ID, Pulls: target.Pulls()}); err != nil {
		return err
	}
	t.Request = m.ID
	i.tx.InsertTask(&t)
	i.tx.InsertRoute(&parley.Route{Question: i.ID, N: len(i.routes) + 1, Agent: target.ID, By: o.caller.Agent, Task: t.ID, Hop: own.Hop + 1,
		Enrichment: w.Enrichment})
	own.State = parley.RouteForwarded
	i.tx.UpdateRoute(own)
	i.Hops++
	i.tx.UpdateQuestion(&i.Question)
	i.tx.Record(parley.Event{Team: i.Team, Kind: parley.EventTask, Actor: i.Asker, Target: target.ID, Task: t.ID, Message: m.ID,
		Detail: string(parley.Query)})
	i.tx.Record(parley.Event{Team: i.Team, Kind: parley.EventQuestionForwarded, Actor: o.caller.Agent, Target: target.ID, Task: t.ID,
		Message: m.ID, Detail: i.ID.String()})
	if o.caller.Token == 0 {
		i.complete(own)
	}
	return nil
}
