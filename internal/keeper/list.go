package keeper

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// List lists the keepers that the caller may know about, newest first.
func (s *Service) List(ctx context.Context, c access.Caller, limit int) (list []parley.Keeper, err error) {
	if err := s.permit(ctx, c, "list"); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list = nil
		who := s.readers(tx, c.Team, c.Agent)
		for before := parley.KeeperID(0); len(list) < limit; {
			page, err := tx.Keepers(c.Team, before, limit)
			if err != nil || len(page) == 0 {
				return err
			}
			before = page[len(page)-1].ID
			for _, k := range page {
				sees, err := who.sees(k)
				if err != nil {
					return err
				}
				if sees && len(list) < limit {
					list = append(list, k)
				}
			}
		}
		return nil
	})
	return list, err
}

// Show reads a keeper and those of its messages that the caller may read, oldest
// first.
func (s *Service) Show(ctx context.Context, c access.Caller, id parley.KeeperID) (k parley.Keeper, list []parley.KeptMessage, err error) {
	if err := s.permit(ctx, c, "list"); err != nil {
		return k, nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if k, err = s.visible(tx, c, id); err != nil {
			return err
		}
		all, err := tx.KeptIn(id)
		if err != nil {
			return err
		}
		list, err = s.readers(tx, c.Team, c.Agent).readable(k, all)
		return err
	})
	if err != nil {
		return parley.Keeper{}, nil, err
	}
	return k, list, nil
}

// Channel is where the messages of a keeper were said; ok is false if that was in no
// channel.
func (s *Service) Channel(ctx context.Context, k parley.Keeper) (ch parley.Channel, ok bool) {
	if k.Channel == 0 {
		return ch, false
	}
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		ch, err = tx.Channel(k.Channel)
		return err
	})
	return ch, err == nil
}
