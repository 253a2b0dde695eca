package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"parley/internal/contact"
	"parley/internal/model/scripted"
)

// The hubs that share a database when one of them is frozen, and how many call each.
const (
	frozenHubs    = 3
	frozenCallers = 16
)

// frozen measures how long the others take to accept a contact while one of several
// hubs on a database is frozen in the middle of its work, as a paused machine is.
func (s *series) frozen(ctx context.Context) error {
	name := frozenName(s.engine.name())
	if s.engine.name() != enginePostgres || !s.wanted.has(name) {
		return nil
	}
	s.say("%s: one of %d hubs is frozen for %v", s.engine.name(), frozenHubs, s.plan.freeze)
	address, err := s.engine.create(ctx)
	if err != nil {
		return err
	}
	l, err := freeze(ctx, errand{Do: doLoad, Engine: s.engine.name(), Address: address, Natives: 32, Clients: 8, Callers: frozenCallers}, s.plan.freeze)
	if err := errors.Join(err, s.engine.drop(context.WithoutCancel(ctx), address)); err != nil {
		return err
	}
	l.Name = name
	return s.bench.report.add(l)
}

// loaded is what a hub under load tells at the end.
type loaded struct {
	Ops      int           `json:"ops"`
	P50, P99 time.Duration // of all
	Slow     []contacted   `json:"slow"`
}

// contacted is one contact that took long.
type contacted struct {
	Ended time.Time     `json:"ended"`
	Took  time.Duration `json:"took"`
}

// slow is what a hub remembers by itself.
const slow = 20 * time.Millisecond

// freeze runs hubs under load and freezes one of them. Only contacts that were under
// way in that time count.
func freeze(ctx context.Context, e errand, d time.Duration) (l Line, err error) {
	var hubs []*child
	defer func() {
		for _, c := range hubs {
			err = errors.Join(err, c.kill())
		}
	}()
	for range frozenHubs {
		c, err := startChild(ctx, e)
		if err != nil {
			return l, err
		}
		hubs = append(hubs, c)
		if err := c.hear(&struct{}{}); err != nil { // it is up
			return l, err
		}
	}
	if err := pass(ctx, d/8); err != nil {
		return l, err
	}
	begun := time.Now()
	if err := hubs[0].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return l, err
	}
	if err := pass(ctx, d); err != nil {
		return l, err
	}
	ended := time.Now()
	l = Line{Callers: frozenHubs * e.Callers, Hubs: frozenHubs, Frozen: d.Seconds()}
	for _, c := range hubs[1:] {
		var r loaded
		if err := errors.Join(c.input.Close(), c.hear(&r)); err != nil {
			return l, err
		}
		l.Ops += r.Ops
		l.P50, l.P99 = max(l.P50, inMicros(r.P50)), max(l.P99, inMicros(r.P99))
		for _, one := range r.Slow {
			if one.Ended.After(begun) && one.Ended.Add(-one.Took).Before(ended) {
				l.Max = max(l.Max, inMicros(one.Took))
			}
		}
	}
	return l, nil
}

func pass(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// load runs a hub of several that share their agents, and makes contacts until its
// input ends.
func (e errand) load(ctx context.Context) error {
	lasting := context.WithoutCancel(ctx)
	st, err := openStore(lasting, e.Engine, e.Address)
	if err != nil {
		return err
	}
	h, err := start(lasting, st, newCrew(plan{natives: e.Natives, clients: e.Clients, pairs: 100}, 400, scripted.Noop()))
	if err != nil {
		return errors.Join(err, st.Close())
	}
	s := &session{running: h}
	err = tell(struct{}{})
	var result loaded
	if err == nil {
		result, err = s.contactAll(ctx, lasting, e.Callers)
	}
	if err == nil {
		err = tell(result)
	}
	return errors.Join(err, s.abandon())
}

// contactAll lets callers make contacts until the context is done. Each waits only
// until its contact is accepted.
func (s *session) contactAll(ctx, lasting context.Context, callers int) (sum loaded, err error) {
	took, slowest := make([][]time.Duration, callers), make([][]contacted, callers)
	errs := make([]error, callers)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(rand.Uint64(), uint64(caller)))
			for ctx.Err() == nil && errs[caller] == nil {
				begun := time.Now()
				errs[caller] = s.contactOne(lasting, r)
				d := time.Since(begun)
				if took[caller] = append(took[caller], d); d > slow {
					slowest[caller] = append(slowest[caller], contacted{time.Now(), d})
				}
			}
		})
	}
	all.Wait()
	times := slices.Concat(took...)
	slices.Sort(times)
	return loaded{Ops: len(times), P50: percentile(times, 50), P99: percentile(times, 99), Slow: slices.Concat(slowest...)}, errors.Join(errs...)
}

func (s *session) contactOne(ctx context.Context, r *rand.Rand) error {
	if r.IntN(2) == 0 {
		return s.notifyOnce(ctx, 0, r)
	}
	from, to := s.choose(s.delegate, r)
	_, err := s.Contacts.Delegate(ctx, s.caller(from), contact.Request{Target: s.members[to].Name, Message: body(r)})
	if err != nil {
		return fmt.Errorf("a delegation: %w", err)
	}
	return nil
}
