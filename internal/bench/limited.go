//go:build bench

package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
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
	empty, full, err := beforeAndAfter(ctx, errand{Do: doLimit, Engine: engineSQLite, Address: filepath.Join(b.dir, "limited.db"), Tasks: b.plan.waiting, Provider: p.url})
	if err != nil {
		return err
	}
	return b.report.add(Line{Name: limitedName, Turns: b.plan.waiting, Heap: full.Heap, RSS: full.RSS, Peak: full.Peak,
		Goroutines: full.Goroutines, Bytes: (full.RSS - empty.RSS) / int64(b.plan.waiting)})
}

// limit runs a hub, first with nothing to do, then with many turns that were refused.
func (e errand) limit(ctx context.Context) error {
	remote, err := modelAt(e.Provider)
	if err != nil {
		return err
	}
	st, err := openStore(ctx, e.Engine, e.Address)
	if err != nil {
		return err
	}
	c := newCrew(plan{natives: e.Tasks, clients: 1}, 0, remote)
	c.configure = func(cfg *app.HubConfig) { cfg.Workers = e.Tasks }
	h, err := start(ctx, st, c)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	err = tell(used())
	if err == nil {
		err = h.parkTurns(ctx)
	}
	if err == nil {
		err = tell(usedNow())
	}
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, h.end(), st.Close())
}

// parkTurns delegates to every agent, and returns when all their tasks wait.
func (h *running) parkTurns(ctx context.Context) error {
	agents := h.members[1+h.clients:]
	for _, a := range agents {
		_, err := h.Contacts.Delegate(ctx, access.Caller{Team: h.team.ID, Agent: h.ids[0]}, contact.Request{Target: a.Name, Message: "Take your time."})
		if err != nil {
			return err
		}
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
