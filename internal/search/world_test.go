package search

import (
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// world is a team of four with its messages and index.
type world struct {
	*Service
	t      testing.TB
	st     store.Store
	team   parley.Team
	agents []parley.Agent
	groups []parley.Channel // the first has the first two agents, the second all
	texts  map[int64]string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return fillWorld(t, st)
}

func fillWorld(t testing.TB, st store.Store) *world {
	t.Helper()
	w := &world{Service: New(st, func(parley.AgentID, parley.Channel) bool { return true }, nil), t: t, st: st, team: parley.Team{Name: "main"}, texts: map[int64]string{}}
	w.scanTime = time.Hour // nothing depends on how fast the machine is
	w.update(func(tx *store.Tx) error {
		tx.InsertTeam(&w.team)
		for _, name := range []string{"Ann", "Bob", "Cleo", "Dan"} {
			a := parley.Agent{Team: w.team.ID, Name: name, Kind: parley.Native}
			tx.InsertAgent(&a)
			w.agents = append(w.agents, a)
		}
		for i, name := range []string{"pair", "all"} {
			g := parley.Channel{Team: w.team.ID, Name: name}
			if _, err := tx.InsertGroup(&g); err != nil {
				return err
			}
			for _, a := range w.agents[:2+2*i] {
				tx.InsertMember(parley.Member{Channel: g.ID, Agent: a.ID})
			}
			w.groups = append(w.groups, g)
		}
		return nil
	})
	return w
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.st.Update(w.t.Context(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// say lets one agent write to another, or into a group if to is negative.
func (w *world) say(from, to int, text string) (id int64) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		m := parley.Message{Team: w.team.ID, Author: w.agents[from].ID, Kind: parley.NotificationMessage, Body: text}
		if to < 0 {
			m.Thread = w.groups[-1-to].Main
		} else {
			dm, err := tx.EnsureDM(w.team.ID, w.agents[from].ID, w.agents[to].ID)
			if err != nil {
				return err
			}
			m.Thread = dm.Main
		}
		err := tx.Post(&m)
		id = int64(m.ID)
		return err
	})
	w.texts[id] = text
	return id
}

func (w *world) index() {
	w.t.Helper()
	if err := w.Update(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) find(q Query) (ids []int64) {
	w.t.Helper()
	q.Team, q.Kind = w.team.ID, Messages
	hits, err := w.Find(w.t.Context(), q)
	if err != nil {
		w.t.Fatalf("%+v: %v", q, err)
	}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}
