package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"parley"
	"parley/internal/keeper"
	"parley/internal/store"
)

// What it costs to look into keepers: of a database of the largest size a fifth is
// kept, in many keepers of many owners.

const (
	// keptIn is how many messages a keeper of the measurement holds.
	keptIn = 20
	// keptOf says that one in so many messages is kept.
	keptOf = 5
)

func retrieveName(engine string) string { return engine + ".retrieve.raw" }

// keep puts messages away as agents do, a keeper for each conversation; every tenth
// is for the whole team. It returns how many messages it kept.
func (m *searchMeasure) keep(ctx context.Context, messages int) (kept int, err error) {
	g := &generator{running: m.running}
	if err := g.openConversations(ctx); err != nil {
		return 0, err
	}
	r := rand.New(rand.NewPCG(3, 4))
	for kept < messages && err == nil {
		err = m.Store.Update(ctx, func(tx *store.Tx) error {
			for range fillBatch / keptIn {
				t := g.talks[r.IntN(len(g.talks))]
				if err := m.keepOne(tx, t, r); err != nil {
					return err
				}
			}
			return nil
		})
		kept += fillBatch / keptIn * keptIn
	}
	return kept, err
}

func (m *searchMeasure) keepOne(tx *store.Tx, t talk, r *rand.Rand) error {
	dm, err := tx.EnsureDM(m.team.ID, t.a.ID, t.b.ID)
	if err != nil {
		return err
	}
	list := make([]parley.KeptMessage, keptIn)
	for i := range list {
		list[i] = parley.KeptMessage{Role: parley.RoleUser, Author: t.a.ID, Text: wordy(r)}
		if i%2 == 1 {
			list[i].Role, list[i].Author = parley.RoleAssistant, t.b.ID
		}
	}
	tx.InsertKeeper(&parley.Keeper{Team: m.team.ID, Owner: t.b.ID, Channel: dm.ID, Thread: dm.Main, Topic: "what they said", Shared: r.IntN(10) == 0}, list)
	return nil
}

// retrieving asks questions, now as a person and now as an agent.
func (m *searchMeasure) retrieving(ctx context.Context) error {
	var found atomic.Int64
	samples, err := m.alone(ctx, retrieveName(m.engine.name()), func(ctx context.Context, _ int, r *rand.Rand) error {
		c := m.caller(0)
		if r.IntN(2) == 0 {
			c = m.caller(1 + m.clients + r.IntN(m.plan.natives))
		}
		q := keeper.Query{Text: question(r), Mode: keeper.Raw}
		text, err := m.Keepers.Retrieve(ctx, c, q, nil)
		if text != parley.NothingFoundText(q.Text) {
			found.Add(1)
		}
		return err
	})
	if err == nil && found.Load() == 0 {
		err = errors.New("nothing was found")
	}
	if err != nil {
		return err
	}
	l := lineOf(retrieveName(m.engine.name()), 1, samples)
	l.Messages, l.Kept = m.stored, m.kept
	return m.add(l)
}

// question has two words that are looked for and three that nearly every message
// has, as questions do.
func question(r *rand.Rand) string {
	kind := func() searchKind { return searchWords[r.IntN(len(searchWords))] }
	word := func() string { k := kind(); return searchWord(k.name, r.IntN(k.words)) }
	said := strings.Fields("build parser fails input token bracket tests notes week ways")
	any := func() string { return said[r.IntN(len(said))] }
	return "What did we say about " + word() + " and " + word() + " when the " + any() + " of the " + any() + " was " + any() + "?"
}
