package contact

import (
	"context"
	"parley/internal/access"

	"parley"
)

// Notify stores a message for somebody. Nobody is invoked: an agent sees it
// at its next turn in the conversation, a person in the inbox.
func (s *Service) Notify(ctx context.Context, c access.Caller, r Request) (Contact, error) {
	return s.open(ctx, c, r, parley.Notify, nil)
}
