package contact

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
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
	// To is how many were asked; of a question to all, how many at first.
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
