package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/store"
)

// restart measures how long it takes to serve again after a kill: from the
// start of the new process to its first answered ask, with everything that
// was open before being taken up beside it.
func (s *series) restart(ctx context.Context) error {
	l := Line{Name: restartName(s.engine.name()), Rounds: s.plan.kills}
	if !s.wanted.has(l.Name) {
		return nil
	}
	b := &s.bases[len(s.bases)-1]
	if b.address == "" {
		if err := s.build(ctx, b); err != nil {
			return err
		}
	}
	l.Messages = b.stored
	errand := errand{Engine: s.engine.name(), Address: b.address, Natives: s.plan.natives, Clients: s.plan.clients, Tasks: s.plan.open}
	var took []time.Duration
	for range s.plan.kills {
		s.say("%s: opening %s tasks, then a kill", s.engine.name(), count(s.plan.open))
		held, d, err := killAndServe(ctx, errand)
		if err != nil {
			return err
		}
		s.say("%s: served again after %s", s.engine.name(), micros(d))
		l.Tasks, l.Leased = held.Open, held.Running
		took = append(took, d)
	}
	slices.Sort(took)
	l.P50, l.Max = inMicros(percentile(took, 50)), inMicros(took[len(took)-1])
	return s.bench.report.add(l)
}

// held is what was open when the process was killed.
type held struct {
	Open    int `json:"open"`
	Running int `json:"running"`
}

// served is the answer that the new process got.
type served struct {
	Text string `json:"text"`
}

func killAndServe(ctx context.Context, e errand) (h held, took time.Duration, err error) {
	e.Do = doHold
	first, err := startChild(ctx, e)
	if err != nil {
		return h, 0, err
	}
	err = first.hear(&h)
	if err := errors.Join(err, first.kill()); err != nil {
		return h, 0, err
	}
	e.Do = doServe
	begun := time.Now()
	second, err := startChild(ctx, e)
	if err != nil {
		return h, 0, err
	}
	var answer served
	err = second.hear(&answer)
	took = time.Since(begun)
	if err == nil && answer.Text != "ok" {
		err = fmt.Errorf("the ask after the kill was answered %q", answer.Text)
	}
	return h, took, errors.Join(err, second.kill())
}

// hold opens tasks that never end, says so, and waits for the kill.
func (e errand) hold(ctx context.Context) error {
	return e.work(ctx, stuck{}, func(h *running) error {
		open, err := countOpen(ctx, h)
		if err != nil {
			return err
		}
		if err := openTasks(ctx, h, e.Tasks-open.Open); err != nil {
			return err
		}
		if open, err = countOpen(ctx, h); err != nil {
			return err
		}
		if err := tell(open); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
}

// serve answers one ask as soon as it can.
func (e errand) serve(ctx context.Context) error {
	return e.work(ctx, scripted.Noop(), func(h *running) error {
		target := h.members[len(h.members)-1].Name
		answer, err := h.Contacts.Ask(ctx, access.Caller{Team: h.team.ID, Agent: h.ids[0]},
			contact.Request{Target: target, Message: "Are you there?"})
		if err != nil {
			return err
		}
		if err := tell(served{Text: answer.Text}); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
}

// work runs a hub around do.
func (e errand) work(ctx context.Context, m model.Model, do func(*running) error) error {
	st, err := openStore(ctx, e.Engine, e.Address)
	if err != nil {
		return err
	}
	h, err := start(ctx, st, newCrew(plan{natives: e.Natives, clients: e.Clients}, 0, m))
	if err != nil {
		return errors.Join(err, st.Close())
	}
	err = do(h)
	return errors.Join(err, h.end(), st.Close())
}

// stuck is a model that thinks until it is stopped.
type stuck struct{}

func (stuck) Step(ctx context.Context, _ model.Request, _ func(model.Delta)) (model.Reply, error) {
	<-ctx.Done()
	return model.Reply{}, context.Cause(ctx)
}

// openTasks has the clients delegate to everyone in turn.
func openTasks(ctx context.Context, h *running, n int) error {
	callers := h.clients
	natives := h.members[1+h.clients:]
	errs := make([]error, callers)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := caller; i < n && errs[caller] == nil; i += callers {
				_, errs[caller] = h.Contacts.Delegate(ctx, access.Caller{Team: h.team.ID, Agent: h.ids[1+caller]},
					contact.Request{Target: natives[i%len(natives)].Name, Message: "Take your time."})
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func countOpen(ctx context.Context, h *running) (n held, err error) {
	err = h.Store.View(ctx, func(tx *store.Tx) error {
		n = held{}
		open, err := tx.OpenTasks(h.team.ID)
		for _, o := range open {
			n.Open += o.Queued + o.Running + o.Waiting
			n.Running += o.Running
		}
		return err
	})
	return n, err
}
