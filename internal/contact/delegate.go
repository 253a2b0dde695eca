package contact

import (
	"context"
	"parley/internal/access"

	"parley"
)

// Delegate hands work over and returns at once. The result is pushed into the
// caller's task, or into its inbox if it has none.
func (s *Service) Delegate(ctx context.Context, c access.Caller, r Request) (Contact, error) {
	return s.open(ctx, c, r, parley.Delegate, nil)
}
