package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Pause stops all turns of the caller's team at their next step. What is asked of
// the team meanwhile is stored and queued.
func (s *Service) Pause(ctx context.Context, c access.Caller) error { return s.setPaused(ctx, c, true) }

// Resume lets the turns of the caller's team go on.
func (s *Service) Resume(ctx context.Context, c access.Caller) error {
	return s.setPaused(ctx, c, false)
}

func (s *Service) setPaused(ctx context.Context, c access.Caller, paused bool) error {
	what, kind := "resume the team", parley.EventResumed
	if paused {
		what, kind = "pause the team", parley.EventPaused
	}
	if err := s.access.PeopleOnly(ctx, c, what, what); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		team, err := tx.LockTeam(c.Team)
		if err != nil || team.Paused == paused {
			return err // it is as it should be
		}
		tx.SetPaused(c.Team, paused)
		tx.Record(parley.Event{Team: c.Team, Kind: kind, Actor: c.Agent})
		return nil
	})
}
