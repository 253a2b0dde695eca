//go:build bench

package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/model"
)

// waiting measures what turns cost that wait for slow models, in the middle of
// replies that come in pieces. The provider is this process, the hub another.
func (b *bench) waiting(ctx context.Context) error {
	if !b.wanted.has(waitingName) {
		return nil
	}
	b.say("memory: a hub with %s turns that wait for their models", count(b.plan.waiting))
	p, err := startProvider(make(chan struct{})) // which nobody closes
	if err != nil {
		return err
	}
	defer p.close()
	return b.heldTurns(ctx, waitingName, errand{Do: doWait, Address: filepath.Join(b.dir, "waiting.db"), Provider: p.url})
}

// heldTurns measures what turns cost that an errand holds up.
func (b *bench) heldTurns(ctx context.Context, name string, e errand) error {
	e.Engine, e.Tasks = engineSQLite, b.plan.waiting
	empty, full, err := beforeAndAfter(ctx, e)
	if err != nil {
		return err
	}
	return b.report.add(Line{Name: name, Turns: b.plan.waiting, Heap: full.Heap, RSS: full.RSS, Peak: full.Peak,
		Goroutines: full.Goroutines, Bytes: (full.RSS - empty.RSS) / int64(b.plan.waiting)})
}

// wait runs a hub, first with nothing to do, then with many turns that wait.
func (e errand) wait(ctx context.Context) error {
	remote, err := modelAt(e.Provider)
	if err != nil {
		return err
	}
	begun := make(chan struct{}, e.Tasks)
	return e.holdTurns(ctx, speaking{remote, begun}, func(h *running, ctx context.Context) error { return h.beginTurns(ctx, begun) })
}

// holdTurns runs a hub, and says what it uses before and after a function has given it turns.
func (e errand) holdTurns(ctx context.Context, m model.Model, give func(*running, context.Context) error) error {
	st, err := openStore(ctx, e.Engine, e.Address)
	if err != nil {
		return err
	}
	c := newCrew(plan{natives: e.Tasks, clients: 1}, 0, m)
	c.configure = func(cfg *app.HubConfig) { cfg.Workers = e.Tasks }
	h, err := start(ctx, st, c)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	err = tell(used())
	if err == nil {
		err = give(h, ctx)
	}
	if err == nil {
		err = tell(usedNow())
	}
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, h.end(), st.Close())
}

// delegateToAll delegates to every agent.
func (h *running) delegateToAll(ctx context.Context) ([]app.Member, error) {
	agents := h.members[1+h.clients:]
	for _, a := range agents {
		_, err := h.Contacts.Delegate(ctx, access.Caller{Team: h.team.ID, Agent: h.ids[0]}, contact.Request{Target: a.Name, Message: "Take your time."})
		if err != nil {
			return nil, err
		}
	}
	return agents, nil
}

// beginTurns delegates to every agent, and returns when all their models have
// begun to speak.
func (h *running) beginTurns(ctx context.Context, begun <-chan struct{}) error {
	agents, err := h.delegateToAll(ctx)
	if err != nil {
		return err
	}
	for n := range agents {
		select {
		case <-begun:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d models have begun to speak: %w", n, len(agents), context.Cause(ctx))
		}
	}
	open, err := countOpen(ctx, h)
	if err == nil && open.Running != len(agents) {
		err = parley.Errorf(parley.Internal, "%d of %d turns are running.", open.Running, len(agents))
	}
	return err
}

// speaking tells when a reply has begun to come.
type speaking struct {
	model.Model
	begun chan<- struct{}
}

func (s speaking) Step(ctx context.Context, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	var once sync.Once
	return s.Model.Step(ctx, req, func(d model.Delta) {
		once.Do(func() { s.begun <- struct{}{} })
		if onDelta != nil {
			onDelta(d)
		}
	})
}
