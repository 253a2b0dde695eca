package contact

import (
	"context"
	"parley/internal/access"

	"parley"
)

// Send gives somebody a message to act on, in a fresh thread, and returns at once.
// It is a delegation without a callback: the caller's task does not wait for it,
// and the reply is mail for the caller.
func (s *Service) Send(ctx context.Context, c access.Caller, r Request) (Contact, error) {
	r.sent, r.Thread = true, ThreadChoice{New: true}
	return s.open(ctx, c, r, parley.Delegate, nil)
}
