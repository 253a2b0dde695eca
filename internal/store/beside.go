package store

import (
	"context"

	"parley"
)

// Beside is what a turn has not stored yet, and what the transaction that opens a contact
// for it stores too: both, or neither. So a step need not reach the disk by itself before
// the contact that it decided on does.
type Beside interface {
	// Store writes it, after the transaction has read and checked what it needs. The task
	// is that of the turn; its lock is held.
	Store(tx *Tx, task *parley.Task) error
	// Stored is called after the commit.
	Stored()
}

type besideKey struct{}

// WithBeside hands it to whoever opens a contact with this context.
func WithBeside(ctx context.Context, b Beside) context.Context {
	return context.WithValue(ctx, besideKey{}, b)
}

// BesideOf is what is to be stored beside a contact; nil if nothing is.
func BesideOf(ctx context.Context) Beside {
	b, _ := ctx.Value(besideKey{}).(Beside)
	return b
}
