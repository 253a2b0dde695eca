package keeper

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Share lets the whole team read a keeper. Its owner and people may share it.
func (s *Service) Share(ctx context.Context, c access.Caller, id parley.KeeperID) (k parley.Keeper, err error) {
	if err := s.permit(ctx, c, "share"); err != nil {
		return k, err
	}
	var refused error
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		refused = nil
		if k, err = s.visible(tx, c, id); err != nil {
			return err
		}
		if k.Owner != c.Agent && !s.person(c.Agent) {
			refused = parley.Errorf(parley.Denied, "%s is not yours to share.", id).WithRule("own_keeper").WithHint("Ask its owner.")
			return nil
		}
		if k.Shared {
			return nil
		}
		ids, err := idsOf(tx, id)
		if err != nil {
			return err
		}
		k.Shared = true
		return s.reindex(tx, ids, func() error {
			tx.ShareKeeper(id)
			recordShared(tx, c, k)
			return nil
		})
	})
	if refused != nil {
		return parley.Keeper{}, s.access.RecordDenied(ctx, c, "share "+id.String(), refused)
	}
	return k, err
}

func recordShared(tx *store.Tx, c access.Caller, k parley.Keeper) {
	tx.Record(parley.Event{Team: k.Team, Kind: parley.EventKeeperShared, Actor: c.Agent, Target: k.Owner, Detail: k.ID.String()})
}

// visible reads a keeper that the caller may know about. Any other does not exist for
// it.
func (s *Service) visible(tx *store.Tx, c access.Caller, id parley.KeeperID) (parley.Keeper, error) {
	k, err := tx.Keeper(id)
	if errors.Is(err, store.ErrNotFound) {
		return k, missing(id)
	}
	if err != nil {
		return k, err
	}
	sees, err := s.readers(tx, c.Team, c.Agent).sees(k)
	if err == nil && !sees {
		err = missing(id)
	}
	return k, err
}
