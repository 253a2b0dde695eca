package contact

import (
	"context"

	"parley"
	"parley/internal/access"
)

// Notify stores a message for somebody. Nobody is invoked: an agent sees it
// at its next turn, whoever that is for, a person in the inbox.
func (s *Service) Notify(ctx context.Context, c access.Caller, r Request) (Contact, error) {
	return s.open(ctx, c, r, parley.Notify, nil)
}

// NotifiedText tells the caller that its notification was accepted.
func (c Contact) NotifiedText() string {
	text := parley.NotifiedText(c.Target)
	if c.Isolated {
		text += parley.IsolatedText(c.Target)
	}
	return text
}
