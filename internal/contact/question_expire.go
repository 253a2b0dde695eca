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
		q, err := tx.Question(id)
		if err != nil {
			return err
		}
		i, err := s.lockInquiry(tx, access.Caller{Team: q.Team}, id)
		if err != nil {
			return err
		}
		if i.State != parley.QuestionOpen || i.ExpiresAt > tx.Now {
			return nil
		}
		if question.Answered(i.routes) {
			i.close(parley.QuestionAnswered)
		} else if err := i.end(parley.ExpiredQuestion(i.ExpiresAt.Since(i.CreatedAt))); err != nil {
			return err
		}
		return i.release()
	})
}
