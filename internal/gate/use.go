package gate

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// How often the last use is stored at most. That of a token is for people who wonder
// whether somebody still needs it, so minutes do not matter. A session ends some time
// after its last use.
const (
	useEvery        = 5 * time.Minute
	sessionUseEvery = time.Minute
)

// uses are the tokens and the sessions whose last use is to be stored. A request only notes it: storing
// is never on its path.
type uses struct {
	mu   sync.Mutex
	list map[pass]parley.Micros
}

func newUses() *uses { return &uses{list: map[pass]parley.Micros{}} }

// note is called with when something was used before, as it is stored, and now.
func (u *uses) note(by pass, before, now parley.Micros) {
	every := useEvery
	if by.session != 0 {
		every = sessionUseEvery
	}
	if before != 0 && now.Since(before) < every {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list[by] = now
}

func (u *uses) take() map[pass]parley.Micros {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.list) == 0 {
		return nil
	}
	list := u.list
	u.list = map[pass]parley.Micros{}
	return list
}

func (g *Gate) storeUses(ctx context.Context) {
	list := g.uses.take()
	if len(list) == 0 {
		return
	}
	err := g.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		for by, at := range list {
			if by.session != 0 {
				tx.SetSessionUsed(by.session, at)
			} else {
				tx.SetTokenUsed(by.token, at)
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		g.cfg.Log.Warn("when tokens and sessions were used could not be stored", "error", err)
	}
}
