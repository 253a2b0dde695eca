package work

import (
	"context"
	"maps"

	"parley"
	"parley/internal/store"
)

// Paused reports whether a team is paused, as this hub last heard. What is stored
// is the truth: a claim asks it, and a signal that was lost is made up for by the
// next look.
func (s *Scheduler) Paused(team parley.TeamID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.halted[team]
}

// readPauses learns which teams are paused.
func (s *Scheduler) readPauses(ctx context.Context) error {
	halted := map[parley.TeamID]bool{}
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) error {
		clear(halted)
		teams, err := tx.PausedTeams()
		for _, id := range teams {
			halted[id] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !maps.Equal(halted, s.halted) {
		s.halted = halted
	}
	return nil
}
