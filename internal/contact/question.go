package contact

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/store"
)

// A question is a contact with each agent that is asked, and their tasks answer it
// when they end. The asker's task does not wait: an answer comes to it if it is
// still open, and else begins a task of its own.

// Asked is a question that was accepted.
type Asked struct {
	ID parley.QuestionID
	// Target is who was asked; empty if all were.
	Target string
	// To is how many were asked.
	To int
}

// Question asks one, or everyone whom the caller may contact if the request names
// nobody. That is one contact, however many are asked.
func (s *Service) Question(ctx context.Context, c access.Caller, r Request) (Asked, error) {
	if r.Target == "" {
		return s.askAll(ctx, c, r)
	}
	made, err := s.open(ctx, c, r, parley.QuestionPattern, nil)
	return Asked{ID: made.Question, Target: made.Target, To: 1}, err
}

// storeQuestion stores the question with the first of its contacts, and that this
// target is asked.
func (o *opening) storeQuestion() {
	q := &o.question
	if q.CreatedAt == 0 {
		o.tx.InsertQuestion(q)
		o.tx.Record(parley.Event{Team: q.Team, Kind: parley.EventQuestionAsked, Actor: q.Asker, Target: q.Target, Task: q.Task, Detail: q.ID.String()})
	}
	o.asked++
	o.tx.InsertRoute(&parley.Route{Question: q.ID, N: o.asked, Agent: o.state.Target.ID, By: q.Asker, Task: o.task.ID})
}

func (s *Service) newQuestion(tx *store.Tx, c access.Caller, r Request) parley.Question {
	life := s.dir.Limits(c.Agent).QuestionLifetime
	return parley.Question{ID: tx.NewQuestionID(), Team: c.Team, Asker: c.Agent, Task: c.Task, Text: r.Message, Context: r.Context,
		Key: r.Key, ExpiresAt: tx.Now.Add(max(life, time.Second))}
}

// broadcast asks everyone in one transaction.
type broadcast struct {
	s       *Service
	tx      *store.Tx
	caller  access.Caller
	request Request
	account *budget.Account // of the caller's tree; nil if it has no budget

	question parley.Question
	asked    int
}

func (s *Service) askAll(ctx context.Context, c access.Caller, r Request) (Asked, error) {
	err := s.checkRequest(c, &r, "the others")
	var b broadcast
	if err == nil {
		err = s.store.Update(ctx, func(tx *store.Tx) error {
			b = broadcast{s: s, tx: tx, caller: c, request: r}
			return b.run()
		})
	}
	if err != nil {
		if parley.RuleOf(err) != "" && !c.Waits(err) {
			s.access.RecordRefused(ctx, c, 0, err, access.RefusalText(string(parley.QuestionPattern), err))
		}
		return Asked{}, err
	}
	return Asked{ID: b.question.ID, To: b.asked}, nil
}

func (b *broadcast) run() (err error) {
	if b.account, err = lockBudget(b.tx, b.caller); err != nil {
		return err
	}
	if _, err := b.tx.LockAgent(b.caller.Agent); err != nil {
		return err
	}
	if found, err := b.again(); found || err != nil {
		return err
	}
	b.question = b.s.newQuestion(b.tx, b.caller, b.request)
	for _, id := range b.s.dir.Everyone(b.caller.Team) { // in the order in which dms are locked
		if id == b.caller.Agent {
			continue
		}
		if err := b.ask(id); err != nil {
			return err
		}
	}
	if b.asked == 0 {
		return parley.Errorf(parley.Unavailable, "There is nobody whom you may ask.").WithRule("nobody").
			WithHint("Answer with what you know, or ask a person.")
	}
	return nil
}

// again finds what was asked under the same key before.
func (b *broadcast) again() (found bool, err error) {
	if b.request.Key == "" {
		return false, nil
	}
	q, err := b.tx.QuestionByKey(b.caller.Task, b.caller.Agent, b.request.Key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	routes, err := b.tx.Routes(q.ID)
	if err == nil && (!q.All() || q.Text != b.request.Message || q.Context != b.request.Context) {
		err = errKeyUsed(b.request.Key)
	}
	for _, r := range routes {
		if r.Hop == 0 {
			b.asked++
		}
	}
	b.question = q
	return true, err
}

// ask asks one of them. It leaves out whoever is offline and whom the caller may
// contact only with approval, or not at all.
func (b *broadcast) ask(id parley.AgentID) error {
	o := opening{s: b.s, tx: b.tx, caller: b.caller, request: b.request, pattern: parley.QuestionPattern, account: b.account,
		question: b.question, asked: b.asked}
	o.request.paid = b.asked > 0
	if o.request.Key != "" {
		o.request.Key = fmt.Sprintf("%s/%d", b.request.Key, id)
	}
	if err := o.read(id); err != nil {
		return err
	}
	if o.state.Target.Gone() || o.authorize() != nil {
		return nil
	}
	if err := o.make(nil); err != nil {
		return err
	}
	b.question, b.asked = o.question, o.asked
	return nil
}
