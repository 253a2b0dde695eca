package work

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// settledAtOnce limits how many tasks are handled at once.
const settledAtOnce = 100

// unblock starts or fails the tasks whose dependencies have ended. The signal of such
// an end triggers it; a periodic look makes up for lost signals.
func (s *Scheduler) unblock(ctx context.Context) error {
	var ids []parley.TaskID
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		ids, err = tx.SettledDependents(settledAtOnce)
		return err
	})
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		failed = errors.Join(failed, s.upkeep.Settle(ctx, id))
	}
	if len(ids) > 0 {
		poke(s.clock) // there may be more, and others may depend on these
	}
	return failed
}
