package keeper

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Prune removes the team's keepers in which nothing was found for some time; with dry
// it only lists them. Only people may.
func (s *Service) Prune(ctx context.Context, c access.Caller, unused time.Duration, dry bool) (list []parley.Keeper, err error) {
	if err := s.access.PeopleOnly(ctx, c, "prune keepers", "prune keepers"); err != nil {
		return nil, err
	}
	if unused <= 0 {
		return nil, parley.Errorf(parley.Invalid, "How long a keeper was not used is a time above 0.").WithHint("For example 30d.")
	}
	find := func(tx *store.Tx) (err error) {
		list, err = tx.IdleKeepers(c.Team, tx.Now.Add(-unused))
		return err
	}
	if err := s.store.View(ctx, find); err != nil || dry || len(list) == 0 {
		return list, err
	}
	err = s.store.Erase(ctx, func(tx *store.Tx) error {
		if err := find(tx); err != nil || len(list) == 0 { // one may just have been used
			return err
		}
		tx.Record(parley.Event{Team: c.Team, Kind: parley.EventKeeperPruned, Actor: c.Agent, Detail: fmt.Sprintf("%d keepers", len(list))})
		return s.remove(tx, list)
	})
	return list, err
}

func (s *Service) remove(tx *store.Tx, list []parley.Keeper) error {
	for _, k := range list {
		ids, err := idsOf(tx, k.ID)
		if err == nil {
			err = s.reindex(tx, ids, func() error { tx.RemoveKeeper(k.ID); return nil })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
