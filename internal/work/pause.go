package work

import (
	"context"
	"maps"

	"parley"
	"parley/internal/store"
)

// Paused reports whether a team is paused, as far as this hub has heard. The store
// has the truth: claims check it, and the next look makes up for a lost signal.
func (s *Scheduler) Paused(team parley.TeamID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused[team]
}

func (s *Scheduler) readPauses(ctx context.Context) error {
	paused := map[parley.TeamID]bool{}
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) error {
		clear(paused)
		teams, err := tx.PausedTeams()
		for _, id := range teams {
			paused[id] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !maps.Equal(paused, s.paused) {
		s.paused = paused
	}
	return nil
}
