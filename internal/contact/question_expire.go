package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/question"
	"parley/internal/store"
)

// ExpireQuestion closes a question whose time is over, unless it was answered at
// this very moment. If nobody has answered, the asker is told, with what those who
// forwarded it knew. A question to all that somebody has answered just ends: its
// asker has what there is.
func (s *Service) ExpireQuestion(ctx context.Context, id parley.QuestionID) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		stored, err := tx.Question(id)
		if err != nil {
			return err
		}
		q, err := s.lockQuestion(tx, access.Caller{Team: stored.Team}, id)
		if err != nil {
			return err
		}
		if q.State != parley.QuestionOpen || q.ExpiresAt > tx.Now {
			return nil
		}
		if question.Answered(q.routes) {
			q.close(parley.QuestionAnswered)
		} else if err := q.end(parley.ExpiredQuestion(q.ExpiresAt.Since(q.CreatedAt))); err != nil {
			return err
		}
		return q.release()
	})
}
