package turn

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// errUncertain says that a step may have been stored after all before the
// database was in trouble: the turn has to look.
var errUncertain = errors.New("whether a step was stored is uncertain")

// retry does something again for as long as the database is in trouble. A
// turn has nobody to tell that a disk is full: its model could do nothing about
// it and would go on without what it wanted to store, and to give the turn up
// would throw away what the model has said and ask it again.
func (r *Runner) retry(ctx context.Context, do func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do()
		if !store.IsOutage(err) || ctx.Err() != nil {
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

// retrySteps is retry for what stores steps. A commit may have succeeded
// without an answer; then the same steps are refused the next time, since each
// has its number.
func (r *Runner) retrySteps(ctx context.Context, do func() error) error {
	troubled := false
	err := r.retry(ctx, func() error {
		err := do()
		troubled = troubled || store.IsOutage(err)
		return err
	})
	if err == nil || !troubled || store.IsOutage(err) || errors.Is(err, parley.ErrLost) || ctx.Err() != nil {
		return err
	}
	r.Log.Warn("a turn looks what was stored before the database was in trouble", "error", err)
	return errUncertain
}

// update stores something of a turn.
func (r *run) update(ctx context.Context, fn func(*store.Tx) error) error {
	return knowingBudget(&r.lease, func() error {
		return r.retrySteps(ctx, func() error { return r.Store.Update(ctx, fn) })
	})
}

// knowingBudget does something again if the tree was given a budget meanwhile: its lock
// comes before the others.
func knowingBudget(lease *parley.Lease, do func() error) error {
	for {
		err := do()
		given, ok := parley.AsBudgetGiven(err)
		if !ok {
			return err
		}
		lease.Budget = given.Root
	}
}

// endTurn stores the end of a turn, also of one that was stopped at this very
// moment.
func (r *Runner) endTurn(ctx context.Context, e parley.TurnEnd) (out parley.Outcome, err error) {
	err = knowingBudget(&e.Lease, func() error {
		return r.retrySteps(ctx, func() error {
			out, err = r.Ender.EndTurn(context.WithoutCancel(ctx), e)
			return err
		})
	})
	return out, err
}
