package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

var errRefused = errors.New("refused after writing")

func failureStoresNothing(t *testing.T, open Open) {
	w := newWorld(t, open)
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		tx.SetRate(w.ann.ID, parley.Rate{At: 5, Debt: 5 * time.Microsecond})
		if a, err := tx.Agent(w.ann.ID); err != nil || a.Rate.At != 5 {
			t.Errorf("a transaction does not see its own write: %+v, %v", a.Rate, err)
		}
		tx.InsertTeam(&parley.Team{Name: "Other"})
		return errRefused
	})
	if !errors.Is(err, errRefused) {
		t.Errorf("the closure's error became %v", err)
	}
	w.view(func(tx *store.Tx) error {
		a, err := tx.Agent(w.ann.ID)
		if a.Rate.At != 0 {
			t.Errorf("a write of the failed closure is stored: %+v", a.Rate)
		}
		if _, err := tx.TeamByName("other"); err != store.ErrNotFound {
			t.Errorf("the failed closure's team: %v", err)
		}
		return err
	})
}

// groupCommitIsolates keeps the store busy until all others are waiting, as far as
// that can be told from outside. The SQLite driver's own test can tell for sure.
func groupCommitIsolates(t *testing.T, open Open) {
	w := newWorld(t, open)
	const n = 40
	held, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	var once atomic.Bool
	go func() {
		first <- w.Update(context.Background(), func(tx *store.Tx) error {
			if once.CompareAndSwap(false, true) {
				close(held)
				<-release
			}
			tx.InsertToken("first", parley.Token{Agent: w.ann.ID})
			return nil
		})
	}()
	<-held
	var started atomic.Int32
	atOnce(t, n, func(i int) error {
		if started.Add(1) == n {
			close(release)
		}
		return wantFailure(i, w.Update(context.Background(), func(tx *store.Tx) error { return w.mischief(tx, i) }))
	})
	if err := <-first; err != nil {
		t.Error(err)
	}
	w.view(func(tx *store.Tx) error {
		for i := range n {
			_, err := tx.TokenByHash(fmt.Sprint("token ", i))
			if stored := err == nil; stored != (i%4 == 0) {
				t.Errorf("closure %d: %v", i, err)
			}
		}
		return nil
	})
}

// mischief writes, and then may fail in one of three ways.
func (w *world) mischief(tx *store.Tx, i int) error {
	tx.InsertToken(fmt.Sprint("token ", i), parley.Token{Agent: w.ann.ID})
	switch i % 4 {
	case 1:
		return errRefused
	case 2:
		panic("in a closure")
	case 3:
		tx.InsertAgent(&parley.Agent{Team: w.team.ID, Name: "BOB", Kind: parley.Native}) // there is a Bob
	}
	return nil
}

func wantFailure(i int, err error) error {
	switch {
	case i%4 == 0:
		return err
	case i%4 == 1 && !errors.Is(err, errRefused):
		return fmt.Errorf("want the closure's own error, got %v", err)
	case i%4 == 2 && (err == nil || !strings.Contains(err.Error(), "in a closure")):
		return fmt.Errorf("want the panic, got %v", err)
	case i%4 == 3 && err == nil:
		return errors.New("the name is there twice")
	}
	return nil
}

func signalsFollowCommit(t *testing.T, open Open) {
	w := newWorld(t, open)
	heard := make(chan int64, 100)
	defer w.Bus().Listen(wake.Work, func(id int64) { heard <- id })()
	store1 := func(tx *store.Tx, agent parley.AgentID) {
		w.insert(tx, parley.Task{Agent: agent})
		if _, err := tx.Agent(agent); err != nil { // sends what was deferred
			t.Error(err)
		}
		if len(heard) > 0 {
			t.Error("a signal before the commit")
		}
	}
	err := w.Update(t.Context(), func(tx *store.Tx) error { store1(tx, w.ann.ID); return errRefused })
	if !errors.Is(err, errRefused) || len(heard) > 0 {
		t.Errorf("after a failure: %v, %d signals", err, len(heard))
	}
	w.update(func(tx *store.Tx) error { store1(tx, w.bob.ID); return nil })
	// When Update returns, the signal is published and the data it announces is
	// stored.
	select {
	case id := <-heard:
		if id != int64(w.bob.ID) {
			t.Errorf("signal for %d", id)
		}
	default:
		t.Error("no signal after the commit")
	}
	w.view(func(tx *store.Tx) error {
		ids, err := tx.AgentsWithWork()
		if len(ids) != 1 || ids[0] != w.bob.ID {
			t.Errorf("work for %v", ids)
		}
		return err
	})
}

func swallowedError(t *testing.T, open Open) {
	w := newWorld(t, open)
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertToken("before", parley.Token{Agent: w.ann.ID})
		tx.InsertAgent(&parley.Agent{Team: w.team.ID, Name: "Bob", Kind: parley.Native}) // there is a Bob
		if _, err := tx.Agent(w.ann.ID); err == nil {
			t.Error("a read after a failed write succeeds")
		}
		tx.InsertToken("after", parley.Token{Agent: w.ann.ID})
		return nil
	})
	if err == nil {
		t.Error("the closure overlooked an error and was committed")
	}
	w.view(func(tx *store.Tx) error {
		for _, token := range []string{"before", "after"} {
			if _, err := tx.TokenByHash(token); err != store.ErrNotFound {
				t.Errorf("token %q: %v", token, err)
			}
		}
		return nil
	})
}

// sameNameTwice looks and then stores, as two hubs do that start with the same files.
// The second one runs again and finds what the first one stored.
func sameNameTwice(t *testing.T, open Open) {
	w := newWorld(t, open)
	for round := range 10 {
		ids := make([]parley.AgentID, 8)
		atOnce(t, len(ids), func(i int) error {
			return w.Update(context.Background(), func(tx *store.Tx) (err error) {
				ids[i], err = ensureAgent(tx, w.team.ID, fmt.Sprint("Agent ", round))
				return err
			})
		})
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("several agents of one name: %v", ids)
			}
		}
	}
}

func ensureAgent(tx *store.Tx, team parley.TeamID, name string) (parley.AgentID, error) {
	list, err := tx.Agents(team)
	if err != nil {
		return 0, err
	}
	for _, a := range list {
		if a.Name == name {
			return a.ID, nil
		}
	}
	a := parley.Agent{Team: team, Name: name, Kind: parley.Native}
	tx.InsertAgent(&a)
	return a.ID, nil
}

func viewDoesNotWrite(t *testing.T, open Open) {
	w := newWorld(t, open)
	for _, read := range []bool{false, true} {
		err := w.View(t.Context(), func(tx *store.Tx) error {
			tx.InsertToken("from a view", parley.Token{Agent: w.ann.ID})
			if read {
				_, err := tx.Agent(w.ann.ID)
				return err
			}
			return nil
		})
		if !errors.Is(err, store.ErrViewWrites) {
			t.Errorf("read %v: %v", read, err)
		}
	}
	w.view(func(tx *store.Tx) error {
		if _, err := tx.TokenByHash("from a view"); err != store.ErrNotFound {
			t.Errorf("it is stored: %v", err)
		}
		return nil
	})
}

func failedViewSpoilsNothing(t *testing.T, open Open) {
	w := newWorld(t, open)
	for range 10 { // more than SQLite has readers
		err := w.View(t.Context(), func(tx *store.Tx) error {
			tx.InsertAgent(&parley.Agent{Team: w.team.ID, Name: "Bob"})
			_, err := tx.Agent(w.ann.ID)
			return err
		})
		if err == nil {
			t.Error("the view wrote")
		}
		err = w.View(t.Context(), func(*store.Tx) error { panic("in a view") })
		if err == nil || !strings.Contains(err.Error(), "in a view") {
			t.Errorf("a panic in a view: %v", err)
		}
	}
	w.update(func(tx *store.Tx) error { tx.SetRate(w.ann.ID, parley.Rate{At: 3}); return nil })
	for range 10 {
		w.view(func(tx *store.Tx) error {
			a, err := tx.Agent(w.ann.ID)
			if a.Rate.At != 3 {
				t.Errorf("a later view reads an old state: %+v", a.Rate)
			}
			return err
		})
	}
}

func endedContext(t *testing.T, open Open) {
	w := newWorld(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	closure := func(*store.Tx) error { t.Error("the closure runs"); return nil }
	if err := w.Update(ctx, closure); !errors.Is(err, context.Canceled) {
		t.Errorf("update: %v", err)
	}
	if err := w.View(ctx, closure); !errors.Is(err, context.Canceled) {
		t.Errorf("view: %v", err)
	}
	// Once handed in, the work is done whatever happens to the context.
	ctx, cancel = context.WithCancel(t.Context())
	err := w.Update(ctx, func(tx *store.Tx) error {
		cancel()
		tx.InsertToken("kept", parley.Token{Agent: w.ann.ID})
		_, err := tx.Agent(w.ann.ID)
		return err
	})
	if err != nil {
		t.Errorf("a context that ended in the middle: %v", err)
	}
	w.view(func(tx *store.Tx) error { _, err := tx.TokenByHash("kept"); return err })
}

func closedStore(t *testing.T, open Open) {
	s, err := open(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	nothing := func(*store.Tx) error { return nil }
	if err := s.Update(t.Context(), nothing); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("update: %v", err)
	}
	if err := s.View(t.Context(), nothing); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("view: %v", err)
	}
}
