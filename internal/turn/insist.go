package turn

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// insist does something again for as long as the database is in trouble. A
// turn has nobody to tell that a disk is full: its model could do nothing about
// it and would go on without what it wanted to store, and to give the turn up
// would throw away what the model has said and ask it again. Everything that a
// turn does this for finds out by itself if it was stored after all.
func (r *Runner) insist(ctx context.Context, do func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do()
		if !store.InTrouble(err) || ctx.Err() != nil {
			return err
		}
		if pause == firstPause {
			r.Log.Error("a turn waits for the database", "error", err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// update stores something of a turn.
func (r *Runner) update(ctx context.Context, fn func(*store.Tx) error) error {
	return r.insist(ctx, func() error { return r.Store.Update(ctx, fn) })
}

// endTurn stores the end of a turn, also of one that was stopped at this very
// moment.
func (r *Runner) endTurn(ctx context.Context, e parley.TurnEnd) (out parley.Outcome, err error) {
	err = r.insist(ctx, func() error {
		out, err = r.Ender.EndTurn(context.WithoutCancel(ctx), e)
		return err
	})
	return out, err
}
