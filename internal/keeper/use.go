package keeper

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// markEvery is how often it is taken down that keepers are used: behind those who
// look, and each keeper at most once in that time.
const markEvery = time.Minute

// uses counts in which keepers something was found since that was last stored.
type uses struct {
	mu     sync.Mutex
	counts map[parley.KeeperID]int
	some   chan struct{}
}

func newUses() *uses {
	return &uses{counts: map[parley.KeeperID]int{}, some: make(chan struct{}, 1)}
}

// note counts one use of each keeper among what was found.
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
	case u.some <- struct{}{}:
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

// Run takes down which keepers are used, until the context is done. Where nothing
// is used it writes nothing.
func (s *Service) Run(ctx context.Context) {
	last := context.WithoutCancel(ctx) // what was used before the stop is taken down too
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-s.uses.some:
			s.mark(last)
		}
		timer := time.NewTimer(markEvery)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
	s.mark(last)
}

// mark stores what was counted. What cannot be stored is only a use less.
func (s *Service) mark(ctx context.Context) {
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
		s.log.Warn("the use of keepers could not be taken down", "error", err)
	}
}
