package keeper

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// storeInterval is how often uses of keepers are stored: in the background, and for
// each keeper at most once in that time.
const storeInterval = time.Minute

// uses counts the keepers in which something was found since uses were last stored.
type uses struct {
	mu     sync.Mutex
	counts map[parley.KeeperID]int
	fresh  chan struct{} // there is something to store; holds at most one
}

func newUses() *uses {
	return &uses{counts: map[parley.KeeperID]int{}, fresh: make(chan struct{}, 1)}
}

// note counts one use of each keeper among the found messages.
func (u *uses) note(list []found) {
	if len(list) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	seen := map[parley.KeeperID]bool{}
	for _, f := range list {
		if !seen[f.Keeper] {
			seen[f.Keeper] = true
			u.counts[f.Keeper]++
		}
	}
	select {
	case u.fresh <- struct{}{}:
	default:
	}
}

func (u *uses) take() map[parley.KeeperID]int {
	u.mu.Lock()
	defer u.mu.Unlock()
	counts := u.counts
	u.counts = map[parley.KeeperID]int{}
	return counts
}

// Run stores which keepers are used, until the context is done. Without uses it
// writes nothing.
func (s *Service) Run(ctx context.Context) {
	last := context.WithoutCancel(ctx) // uses before the stop are stored too
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-s.uses.fresh:
			s.storeUses(last)
		}
		timer := time.NewTimer(storeInterval)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
	s.storeUses(last)
}

// storeUses stores the counts. If that fails, only some uses are lost.
func (s *Service) storeUses(ctx context.Context) {
	counts := s.uses.take()
	if len(counts) == 0 {
		return
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		for id, n := range counts {
			tx.CountKeeperUses(id, n)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the use of keepers could not be stored", "error", err)
	}
}
