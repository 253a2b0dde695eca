package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"parley/internal/contact"
)

// What large messages cost the small ones beside them: notifications by many callers, alone
// and while a few others store messages of the largest size, in turns on the same database.

const (
	// largeBytes is just below what a message may have.
	largeBytes = 256<<10 - 1<<10
	// largeRate is how many of them are stored a second.
	largeRate = 20
	// largeCallers store them.
	largeCallers = 4
)

func largeName(engine string) string { return engine + ".notify.large" }

// large measures notifications with and without large messages beside them.
func (s *series) large(ctx context.Context) (err error) {
	name := largeName(s.engine.name())
	if !s.wanted.has(name) {
		return nil
	}
	address, err := s.engine.create(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.engine.drop(ctx, address)) }()
	s.say("%s: %d messages of %d KiB a second beside small ones", s.engine.name(), largeRate, largeBytes>>10)
	hub, err := s.openSession(ctx, s.engine, address, s.plan.ruledMessages, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.abandon()) }()
	m := largeMeasure{series: s, name: name, hub: hub, text: longText()}
	var alone, beside []sample
	for round := range s.plan.rounds + 1 {
		a, b, err := m.round(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if round > 0 { // the first is for getting used to it
			alone, beside = append(alone, a), append(beside, b)
		}
		s.say("  %-28s %s/s alone, %s/s beside; p99 %s and %s", name, rate(a.perS), rate(b.perS), micros(a.p99), micros(b.p99))
	}
	worst := func(s sample) float64 { return float64(s.p99) }
	l := lineOf(name, s.plan.many, beside)
	l.Messages, l.Large = s.plan.ruledMessages, largeRate
	l.Ratio = compare(beside, alone, perSecond)
	l.Alone, l.TimeRatio = inMicros(middle(alone).p99), compare(beside, alone, worst)
	return s.bench.report.add(l)
}

// longText has hardly anything that a database could compress.
func longText() string {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, largeBytes)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,"[r.IntN(64)]
		if i%8 == 7 {
			text[i] = ' '
		}
	}
	return string(text)
}

type largeMeasure struct {
	*series
	name string
	hub  *session
	text string
}

// round is two turns alone and two beside large messages.
func (m *largeMeasure) round(ctx context.Context) (alone, beside sample, err error) {
	var taken [4]sample
	for i, large := range []bool{false, true, true, false} {
		if taken[i], err = m.slice(ctx, large); err != nil {
			return alone, beside, err
		}
	}
	return both(taken[0], taken[3]), both(taken[1], taken[2]), nil
}

func (m *largeMeasure) slice(ctx context.Context, large bool) (taken sample, err error) {
	if large {
		writing, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		errs := make([]error, largeCallers)
		for i := range largeCallers {
			all.Go(func() { errs[i] = m.write(writing) })
		}
		defer func() {
			stop()
			all.Wait()
			err = errors.Join(append(errs, err)...)
		}()
	}
	if _, err := measure(ctx, m.plan.many, m.plan.warm, m.hub.notifyOnce); err != nil {
		return taken, err
	}
	return m.profile.measure(ctx, m.name, m.plan.many, m.plan.slice, m.hub.notifyOnce)
}

// write stores large messages at its share of the rate until the context is done.
func (m *largeMeasure) write(ctx context.Context) error {
	r := rand.New(rand.NewPCG(rand.Uint64(), 1))
	tick := time.NewTicker(largeCallers * time.Second / largeRate)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		from, to := m.hub.choose(m.hub.running.notify, r)
		_, err := m.hub.Contacts.Notify(ctx, m.hub.caller(from), contact.Request{Target: m.hub.members[to].Name, Message: m.text})
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}
