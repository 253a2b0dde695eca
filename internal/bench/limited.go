//go:build bench

package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"parley/internal/store"
)

// limited measures what turns cost whose provider asks for patience. They are stored
// and hold nothing, so it is to be no more than what turns cost that wait for a reply.
func (b *bench) limited(ctx context.Context) error {
	if !b.wanted.has(limitedName) {
		return nil
	}
	b.say("memory: a hub with %s turns that wait out a rate limit", count(b.plan.waiting))
	p, err := startProvider(nil)
	if err != nil {
		return err
	}
	defer p.close()
	p.refuse.Store(true)
	return b.heldTurns(ctx, limitedName, errand{Do: doLimit, Address: filepath.Join(b.dir, "limited.db"), Provider: p.url})
}

// limit runs a hub, first with nothing to do, then with many turns that were refused.
func (e errand) limit(ctx context.Context) error {
	remote, err := modelAt(e.Provider)
	if err != nil {
		return err
	}
	return e.holdTurns(ctx, remote, (*running).parkTurns)
}

// parkTurns delegates to every agent, and returns when all their tasks wait.
func (h *running) parkTurns(ctx context.Context) error {
	agents, err := h.delegateToAll(ctx)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		parked := 0
		err := h.Store.View(ctx, func(tx *store.Tx) error {
			parked = 0
			open, err := tx.OpenTasks(h.team.ID)
			for _, o := range open {
				parked += o.Refused
			}
			return err
		})
		if err != nil || parked == len(agents) {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d turns wait: %w", parked, len(agents), context.Cause(ctx))
		}
	}
}
