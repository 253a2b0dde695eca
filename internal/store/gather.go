package store

import "context"

type gatheredKey struct{}

// Gathered marks the context of an Update whose closure many callers run at once. A
// driver may run it in one transaction with theirs, and begin it again by itself at any
// read or write. So it must not only be able to run more than once, but also leave
// nothing behind when it ends early.
func Gathered(ctx context.Context) context.Context {
	return context.WithValue(ctx, gatheredKey{}, true)
}

// IsGathered reports whether the context has the mark.
func IsGathered(ctx context.Context) bool {
	marked, _ := ctx.Value(gatheredKey{}).(bool)
	return marked
}
