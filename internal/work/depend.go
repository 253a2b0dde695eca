package work

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// settledAtOnce bounds how many tasks are looked at in one go.
const settledAtOnce = 100

// unblock lets tasks go on, or fails them, whose dependencies have ended. A signal
// of that end brings it about, and a look now and then what signals were lost for.
func (s *Scheduler) unblock(ctx context.Context) error {
	var ids []parley.TaskID
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		ids, err = tx.Settled(settledAtOnce)
		return err
	})
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		failed = errors.Join(failed, s.failer.Settle(ctx, id))
	}
	if len(ids) > 0 {
		poke(s.clock) // there may be more, and some of these may be waited for in turn
	}
	return failed
}
