package bridge

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// known reports of a message in the conversation of a post whether it is a post that is
// there. One of which that is known is not the one that is looked for.
func (s *sender) known(p parley.ChatPost) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, id string) (known bool, err error) {
		err = s.Store.View(ctx, func(tx *store.Tx) error {
			_, err := tx.PostedAs(s.Team.ID, s.name, p.Conversation, id)
			known = err == nil
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			return err
		})
		return known, err
	}
}
