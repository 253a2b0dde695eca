package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/question"
	"parley/internal/store"
)

// TendQuestion does what a question's time asks for: it asks those who were not asked
// first, or closes the question when its time is over. A question that was answered at
// this very moment, or tended by another hub, stays as it is.
func (s *Service) TendQuestion(ctx context.Context, id parley.QuestionID) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		stored, err := tx.Question(id)
		if err != nil || stored.State != parley.QuestionOpen || stored.NextAt > tx.Now {
			return err
		}
		account, err := lockBudget(tx, access.Caller{Team: stored.Team, Agent: stored.Asker, Task: stored.Task})
		if err != nil {
			return err
		}
		if _, err := tx.LockAgent(stored.Asker); err != nil {
			return err
		}
		q, err := s.lockQuestion(tx, access.Caller{Team: stored.Team}, id)
		if err != nil || q.State != parley.QuestionOpen || q.NextAt > tx.Now {
			return err
		}
		if q.over() {
			err = q.expire()
		} else {
			err = q.askOthers(account)
		}
		if err != nil {
			return err
		}
		return q.release()
	})
}

// expire closes a question whose time is over. If nobody has answered, the asker is
// told, with what those who forwarded it knew. A question to all that somebody has
// answered just ends: its asker has what there is.
func (q *lockedQuestion) expire() error {
	if question.Answered(q.routes) {
		q.close(parley.QuestionAnswered)
		return nil
	}
	q.close(parley.QuestionExpired)
	return q.tellUnanswered(parley.ExpiredQuestion(q.ExpiresAt.Since(q.CreatedAt)))
}

// settle closes a question when everyone who was asked has answered, passed or failed.
// If nobody has answered, the others are asked at once; if there are none, the asker is
// told the reason.
func (q *lockedQuestion) settle(reason string) error {
	switch {
	case q.State != parley.QuestionOpen || question.Awaited(q.routes):
		return nil
	case question.Answered(q.routes):
		q.close(parley.QuestionAnswered)
		return nil
	case q.MoreToAsk():
		q.NextAt = q.tx.Now // the clock asks them, in a transaction of its own
		q.tx.UpdateQuestion(&q.Question)
		return nil
	}
	if question.AllPassed(q.routes) {
		reason = parley.NobodyKnows
	}
	q.close(parley.QuestionFailed)
	return q.tellUnanswered(reason)
}

// tellUnanswered tells the asker that nobody answered.
func (q *lockedQuestion) tellUnanswered(reason string) error {
	return q.deliver(&parley.Message{Team: q.Team, Author: q.Asker, Kind: parley.UnansweredMessage, Question: q.ID, Body: reason,
		Context: question.Enrichments(q.routes, q.nameOf)})
}

// close ends a question. That nobody answered it goes on record.
func (q *lockedQuestion) close(as parley.QuestionState) {
	q.State, q.ClosedAt = as, q.tx.Now
	q.tx.UpdateQuestion(&q.Question)
	kind := parley.EventQuestionExpired
	switch as {
	case parley.QuestionAnswered:
		return
	case parley.QuestionFailed:
		kind = parley.EventQuestionFailed
	}
	q.tx.Record(parley.Event{Team: q.Team, Kind: kind, Target: q.Asker, Task: q.Task, Detail: q.ID.String()})
}
