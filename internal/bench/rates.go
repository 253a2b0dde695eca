package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// series is everything that is measured on one engine: the samples of each
// round, and the databases that they were taken on.
type series struct {
	*bench
	engine  engine
	bases   []base
	samples map[key][]sample
	stored  map[key]int // messages when the first slice began
}

func newSeries(b *bench, e engine) *series {
	s := &series{bench: b, engine: e, samples: map[key][]sample{}, stored: map[key]int{}}
	for _, size := range b.plan.sizes {
		s.bases = append(s.bases, base{size: size, stored: size})
	}
	return s
}

// run measures the limit and the contacts at every size, and reports the
// medians.
func (s *series) run(ctx context.Context) (err error) {
	if !s.needed() {
		return nil
	}
	defer func() { err = errors.Join(err, s.closeHubs(ctx)) }()
	for i := range s.bases {
		if err := s.prepare(ctx, &s.bases[i]); err != nil {
			return err
		}
	}
	for round := range s.plan.rounds {
		for i := range s.bases {
			s.say("%s: round %d of %d with %s messages", s.engine.name(), round+1, s.plan.rounds, count(s.bases[i].stored))
			if err := s.cycle(ctx, &s.bases[i]); err != nil {
				return err
			}
		}
	}
	if err := s.countStatements(ctx); err != nil {
		return err
	}
	return s.report()
}

// key is what was measured: by how many callers, and beside which size. The
// limit is measured anew beside each.
type key struct {
	what    string
	callers int
	size    int
}

func (s *series) lineName(k key) string {
	return s.plan.lineName(s.engine.name(), k.what, k.callers, k.size)
}

// base is a filled database, and the hub that runs on it for all rounds, as one
// does that has been up for a while. A small one is made anew for every slice.
type base struct {
	size    int
	address string
	stored  int
	hub     *session
}

func (b base) small() bool { return b.size <= small }

// needed reports whether any line of this series is wanted.
func (s *series) needed() bool {
	for _, size := range s.plan.sizes {
		for _, callers := range s.plan.callers() {
			if len(s.wantedContacts(callers, size)) > 0 || s.wanted.has(s.lineName(key{rawInserts, callers, size})) {
				return true
			}
		}
	}
	return false
}

// wantedContacts leaves out what nobody asked for. A line at the largest size
// is compared with the one at the smallest.
func (s *series) wantedContacts(callers, size int) (list []string) {
	for _, what := range contacts {
		k, largest := key{what, callers, size}, key{what, callers, s.plan.largest()}
		if s.wanted.has(s.lineName(k)) || size == s.plan.sizes[0] && s.wanted.has(s.lineName(largest)) {
			list = append(list, what)
		}
	}
	return list
}

// prepare fills the database of one size, if it is needed.
func (s *series) prepare(ctx context.Context, b *base) error {
	if b.small() || len(s.wantedContacts(1, b.size))+len(s.wantedContacts(s.plan.many, b.size)) == 0 {
		return nil
	}
	if err := s.build(ctx, b); err != nil {
		return err
	}
	var err error
	if b.hub, err = s.openSession(ctx, s.engine, b.address, b.stored, false); err != nil {
		return err
	}
	return s.use(ctx, b)
}

// use has the hub do for a while what is going to be measured.
func (s *series) use(ctx context.Context, b *base) error {
	for _, what := range s.wantedContacts(s.plan.many, b.size) {
		op, messages, err := b.hub.operation(ctx, what, s.plan.many)
		if err != nil {
			return err
		}
		used, err := s.repeat(ctx, op, 2*pairsFor(s.plan, b.size)/3)
		if err != nil {
			return err
		}
		b.hub.stored += used * messages
		if err := b.hub.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// repeat makes at least so many contacts, unless they take too long.
func (s *series) repeat(ctx context.Context, op operation, enough int) (made int, err error) {
	for spent := time.Duration(0); made < enough && spent < s.plan.use; spent += s.plan.warm {
		m, err := measure(ctx, s.plan.many, s.plan.warm, op)
		if err != nil {
			return made, err
		}
		made += m.ops
	}
	return made, nil
}

// closeHubs leaves the databases as the next who opens them expects it.
func (s *series) closeHubs(ctx context.Context) (err error) {
	for i := range s.bases {
		if b := &s.bases[i]; b.hub != nil {
			b.stored = b.hub.stored
			err = errors.Join(err, b.hub.close(ctx))
		}
	}
	return err
}

func (s *series) build(ctx context.Context, b *base) error {
	s.say("%s: storing %s messages", s.engine.name(), count(b.size))
	hub, err := s.fresh(ctx, b)
	if err != nil {
		return err
	}
	if err := hub.close(ctx); err != nil {
		return err
	}
	return s.engine.settle(ctx, b.address)
}

func (s *series) fresh(ctx context.Context, b *base) (hub *session, err error) {
	if b.address, err = s.engine.create(ctx); err != nil {
		return nil, err
	}
	if hub, err = s.openSession(ctx, s.engine, b.address, b.size, true); err != nil {
		return nil, err
	}
	b.stored = hub.stored
	return hub, nil
}

func (s *series) drop(ctx context.Context) (err error) {
	for _, b := range s.bases {
		if b.address != "" {
			err = errors.Join(err, s.engine.drop(ctx, b.address))
		}
	}
	return err
}

// cycle gives the limit and every contact one slice each, first with many
// callers, then with one.
func (s *series) cycle(ctx context.Context, b *base) error {
	for _, callers := range s.plan.callers() {
		if err := s.rawSlice(ctx, callers, b.size); err != nil {
			return err
		}
		for _, what := range s.wantedContacts(callers, b.size) {
			if err := s.contactSlice(ctx, b, what, callers); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *series) rawSlice(ctx context.Context, callers, size int) (err error) {
	l, err := s.engine.raw(ctx, callers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	op := func(ctx context.Context, caller int, r *rand.Rand) error { return l.insert(ctx, caller, body(r)) }
	_, err = s.slice(ctx, key{rawInserts, callers, size}, op)
	return err
}

// contactSlice measures on the open hub, or on a small database of its own.
func (s *series) contactSlice(ctx context.Context, b *base, what string, callers int) (err error) {
	hub := b.hub
	if hub == nil {
		own := *b
		if hub, err = s.fresh(ctx, &own); err != nil {
			return errors.Join(err, s.engine.drop(ctx, own.address))
		}
		defer func() { err = errors.Join(err, hub.abandon(), s.engine.drop(ctx, own.address)) }()
	}
	k := key{what, callers, b.size}
	if _, known := s.stored[k]; !known {
		s.stored[k] = hub.stored
	}
	op, messages, err := hub.operation(ctx, what, callers)
	if err != nil {
		return err
	}
	n, err := s.slice(ctx, k, op)
	if err != nil {
		return fmt.Errorf("%s: %w", s.lineName(k), err)
	}
	hub.stored += n * messages
	return hub.settle(ctx)
}

// slice warms up and measures. It returns how often the operation was done.
func (s *series) slice(ctx context.Context, k key, op operation) (int, error) {
	warm, err := measure(ctx, k.callers, s.plan.warmTime(k.size), op)
	if err != nil {
		return 0, err
	}
	m, err := s.profile.measure(ctx, s.lineName(k), k.callers, s.plan.sliceTime(k.callers, k.size), op)
	if err != nil {
		return 0, err
	}
	s.samples[k] = append(s.samples[k], m)
	s.say("  %-28s %12s/s  p50 %9s  p99 %9s", s.lineName(k), rate(m.perS), micros(m.p50), micros(m.p99))
	return warm.ops + m.ops, nil
}
