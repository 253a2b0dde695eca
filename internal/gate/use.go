package gate

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/token"
)

// useEvery is how often the last use of a token is stored at most. It is for people who
// wonder whether somebody still needs a token, so minutes do not matter.
const useEvery = 5 * time.Minute

// uses are the tokens whose last use is to be stored. A request only notes it: storing
// is never on its path.
type uses struct {
	mu   sync.Mutex
	list map[parley.TokenID]parley.Micros
}

func newUses() *uses { return &uses{list: map[parley.TokenID]parley.Micros{}} }

func (u *uses) note(use token.Use) {
	if use.Token.UsedAt != 0 && use.At.Since(use.Token.UsedAt) < useEvery {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list[use.Token.ID] = use.At
}

func (u *uses) take() map[parley.TokenID]parley.Micros {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.list) == 0 {
		return nil
	}
	list := u.list
	u.list = map[parley.TokenID]parley.Micros{}
	return list
}

func (g *Gate) storeUses(ctx context.Context) {
	list := g.uses.take()
	if len(list) == 0 {
		return
	}
	err := g.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		for id, at := range list {
			tx.SetTokenUsed(id, at)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		g.cfg.Log.Warn("when tokens were used could not be stored", "error", err)
	}
}
