package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/app"
	"parley/internal/model/scripted"
	"parley/internal/search"
	"parley/internal/store"
)

// What finding costs, and what it costs those who write: a database of the largest
// size whose texts have words that are rare, middling and in nearly every message.

// searchWords are the kinds of words that are looked for, by how many of a million
// messages have one of them.
var searchWords = []searchKind{{"rare", 1000, 100_000}, {"middle", 20, 100}, {"common", 3, 2}}

type searchKind struct {
	name  string
	words int // how many such words there are
	of    int // every how many messages has a given one
}

// rare words may not be in a small database at all.
func (k searchKind) rare() bool { return k.of > 100 }

var searchOrders = []string{"ranked", "newest"}

func searchName(engine, word, order string) string { return engine + ".search." + word + "." + order }

func indexedName(engine string) string { return engine + ".notify.indexed" }

func searchNames(engine string) (names []string) {
	for _, w := range searchWords {
		for _, order := range searchOrders {
			names = append(names, searchName(engine, w.name, order))
		}
	}
	return append(names, retrieveName(engine), indexedName(engine))
}

// wordy is a text in which some words of each kind may be, and a few that nobody
// looks for.
func wordy(r *rand.Rand) string {
	text := body(r)
	for _, w := range searchWords {
		for n := range w.words {
			if !w.rare() && r.IntN(w.of) == 0 {
				text += " " + searchWord(w.name, n)
			}
		}
		if w.rare() && r.IntN(w.of/w.words) == 0 {
			text += " " + searchWord(w.name, r.IntN(w.words))
		}
	}
	for range 10 {
		text += " other" + strconv.Itoa(min(r.IntN(20_000), r.IntN(20_000)))
	}
	return text
}

func searchWord(kind string, n int) string { return kind + strconv.Itoa(n) }

// search measures finding, and writing with and without the index.
func (s *series) search(ctx context.Context) (err error) {
	if !s.wanted.any(searchNames(s.engine.name())) {
		return nil
	}
	address, err := s.engine.create(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.engine.drop(ctx, address)) }()
	st, err := openStore(ctx, s.engine.name(), address)
	if err != nil {
		return err
	}
	m := searchMeasure{series: s, session: &session{}}
	err = m.prepare(ctx, st)
	if err == nil {
		err = s.engine.settle(ctx, address)
	}
	if err == nil {
		err = m.run(ctx)
	}
	if m.running != nil && m.stop != nil {
		err = errors.Join(err, m.end())
	}
	return errors.Join(err, st.Close())
}

// searchMeasure is a hub on a database that is indexed.
type searchMeasure struct {
	*series
	*session
	stored, kept int
}

// prepare fills the database and indexes it.
func (m *searchMeasure) prepare(ctx context.Context, st store.Store) (err error) {
	name := m.engine.name()
	m.say("%s: storing and indexing %s messages", name, count(m.plan.largest()))
	c := newCrew(m.plan, m.plan.largest(), scripted.Noop())
	c.telling, c.configure = wordy, func(cfg *app.HubConfig) { cfg.Unindexed = true }
	if m.running, err = start(ctx, st, c); err != nil {
		return err
	}
	if m.stored, err = fill(ctx, m.running, m.plan.largest(), m.engine.fillers(), func(int) {}); err != nil {
		return err
	}
	if m.wanted.has(retrieveName(name)) {
		if m.kept, err = m.keep(ctx, m.plan.largest()/keptOf); err != nil {
			return err
		}
	}
	began := time.Now()
	err = m.Search.Update(ctx)
	what := count(m.stored) + " messages"
	if m.kept > 0 {
		what += " and " + count(m.kept) + " kept ones"
	}
	m.say("%s: indexed %s in %v", name, what, time.Since(began).Round(time.Second))
	return err
}

func (m *searchMeasure) run(ctx context.Context) error {
	for _, w := range searchWords {
		for _, order := range searchOrders {
			name := searchName(m.engine.name(), w.name, order)
			if !m.wanted.has(name) {
				continue
			}
			if err := m.finding(ctx, name, w, order == "newest"); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if m.wanted.has(retrieveName(m.engine.name())) {
		if err := m.retrieving(ctx); err != nil {
			return fmt.Errorf("%s: %w", retrieveName(m.engine.name()), err)
		}
	}
	if !m.wanted.has(indexedName(m.engine.name())) {
		return nil
	}
	return m.writing(ctx)
}

// finding looks for words, now as a person and now as an agent that reads only its
// own dms.
func (m *searchMeasure) finding(ctx context.Context, name string, w searchKind, newest bool) error {
	var found atomic.Int64
	op := func(ctx context.Context, _ int, r *rand.Rand) error {
		q := search.Query{Team: m.team.ID, Kind: search.Messages, Text: searchWord(w.name, r.IntN(w.words)), Newest: newest, Limit: 20}
		if r.IntN(2) == 0 {
			q.Reader = m.ids[1+m.clients+r.IntN(m.plan.natives)]
		}
		hits, err := m.Search.Find(ctx, q)
		found.Add(int64(len(hits)))
		return err
	}
	samples, err := m.alone(ctx, name, op)
	if err != nil {
		return err
	}
	if found.Load() == 0 && !w.rare() {
		return errors.New("nothing was found")
	}
	l := lineOf(name, 1, samples)
	l.Messages = m.stored
	return m.add(l)
}

// alone measures what one caller does.
func (m *searchMeasure) alone(ctx context.Context, name string, op operation) (samples []sample, err error) {
	if _, err := measure(ctx, 1, m.plan.warm, op); err != nil {
		return nil, err
	}
	for range m.plan.rounds {
		taken, err := m.profile.measure(ctx, name, 1, m.plan.slice, op)
		if err != nil {
			return nil, err
		}
		samples = append(samples, taken)
	}
	return samples, nil
}

// writing compares notifying while the hub adds to the index with notifying while it
// does not, in turns. The index falls behind meanwhile, as it is meant to.
func (m *searchMeasure) writing(ctx context.Context) error {
	var with, without []sample
	for range m.plan.rounds {
		var taken [4]sample
		for i, indexing := range []bool{false, true, true, false} {
			var err error
			if taken[i], err = m.notifying(ctx, indexing); err != nil {
				return err
			}
		}
		without, with = append(without, both(taken[0], taken[3])), append(with, both(taken[1], taken[2]))
	}
	l := lineOf(indexedName(m.engine.name()), m.plan.many, with)
	l.Messages, l.Ratio = m.stored, compare(with, without, perSecond)
	return m.add(l)
}

func (m *searchMeasure) notifying(ctx context.Context, indexing bool) (sample, error) {
	beside, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	defer ended.Wait()
	defer stop()
	if indexing {
		ended.Go(func() { m.Search.Run(beside, slog.New(slog.DiscardHandler)) })
	}
	// Long enough for many batches and the rests between them: what is measured is
	// the index at its pace, not its beginning.
	if _, err := measure(ctx, m.plan.many, m.plan.slice, m.notifyOnce); err != nil {
		return sample{}, err
	}
	if !indexing {
		return measure(ctx, m.plan.many, 4*m.plan.slice, m.notifyOnce)
	}
	return m.profile.measure(ctx, indexedName(m.engine.name()), m.plan.many, 4*m.plan.slice, m.notifyOnce)
}

// countAsIndexed has a hub index only what comes from now on: what it cost to
// index what a database was filled with is measured elsewhere.
func countAsIndexed(ctx context.Context, st store.Store) error {
	return st.Update(ctx, func(tx *store.Tx) error {
		last, err := tx.LastDocument(search.Messages)
		tx.MoveSearchMark(search.Messages, last)
		return err
	})
}
