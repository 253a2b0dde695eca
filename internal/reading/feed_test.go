package reading_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley"
	"parley/internal/app"
	"parley/internal/pgtest"
	"parley/internal/reading"
	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/wake"
)

var errEnough = errors.New("enough")

// onEachStore runs a test with a team on SQLite and on PostgreSQL.
func onEachStore(t *testing.T, test func(t *testing.T, w *team)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newTeam(t)) })
	t.Run("postgres", func(t *testing.T) {
		st, err := postgres.Open(t.Context(), pgtest.DSN(t), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() }) // the database goes with the test
		test(t, teamOn(t, st))
	})
}

func teamOn(t *testing.T, st store.Store) *team {
	hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})
	w := &team{t: t, hub: hub, store: st, read: hub.Reading}
	w.join("Ada", "Bob", "Joiner", "Other")
	return w
}

func (w *team) record(events ...parley.Event) {
	w.t.Helper()
	err := w.store.Update(context.Background(), func(tx *store.Tx) error {
		for _, e := range events {
			tx.Record(e)
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
}

// about is an event of the team between two.
func (w *team) about(from, to, detail string) parley.Event {
	return parley.Event{Team: w.id, Kind: parley.EventStatus, Actor: w.as(from).Agent, Target: w.as(to).Agent, Detail: detail}
}

// stored is what the record has for a filter after a place.
func (w *team) stored(f store.EventFilter, after string) (list []string) {
	w.t.Helper()
	f.Team = w.id
	err := w.store.View(w.t.Context(), func(tx *store.Tx) error {
		events, _, err := tx.EventsOf(f, after, 10_000)
		list = nil
		for _, e := range events {
			list = append(list, e.Cursor+" "+e.Detail)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// present is the place after so many events about a detail. On a shared server a
// transaction in flight anywhere holds back what comes after it.
func (w *team) present(detail string, n int) (cursor string) {
	w.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		found := 0
		err := w.store.View(w.t.Context(), func(tx *store.Tx) error {
			list, next, err := tx.Events(w.id, "", 1000)
			for _, e := range list {
				if e.Detail == detail {
					found++
				}
			}
			cursor = next
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if found == n {
			return cursor
		}
		<-tick.C
	}
}

// audience is those who follow the record in a test.
type audience struct {
	w     *team
	ready sync.WaitGroup // everybody has caught up with the past
	all   sync.WaitGroup
}

// heard is what one of them got.
type heard struct {
	name string
	list []string
	want func() []string
}

// follow starts somebody who reads until it has heard "end" so often. Every leave events
// it hangs up and goes on from the last one; 0 is never. hold, if not nil, is waited for
// before each event, once the past was read.
func (a *audience) follow(h *heard, who string, r reading.Record, ends, leave int, hold <-chan struct{}) {
	caughtUp := false
	a.ready.Add(1)
	r.Follow = true
	a.all.Go(func() {
		for ends > 0 {
			n := 0
			err := a.w.read.Events(a.w.t.Context(), a.w.as(who), r, func(e parley.Event) error {
				if hold != nil && caughtUp {
					<-hold
				}
				n++
				h.list = append(h.list, e.Cursor+" "+e.Detail)
				r.Cursor, r.Last = e.Cursor, 0
				if e.Detail == "end" {
					ends--
				}
				if ends == 0 || n == leave {
					return errEnough
				}
				return nil
			}, func() error {
				if !caughtUp {
					caughtUp = true
					a.ready.Done()
				}
				return nil
			})
			if !errors.Is(err, errEnough) {
				a.w.t.Errorf("%s: %v", h.name, err)
				return
			}
		}
	})
}

// Whoever follows the record reads each event that passes its filter once and in order,
// and none that does not: from the beginning, from now, with breaks, slowly, and though
// writers commit in another order than they began.
func TestWhoFollowsMissesNothingAndRepeatsNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, w *team) {
		const people, writers, each = 4, 8, 60
		names := []string{"Ada", "Bob", "Joiner", "Other"}
		w.record(w.about("Ada", "Joiner", "before"), w.about("Bob", "Other", "before"))
		start, hold := w.present("before", 2), make(chan struct{})
		joiner, other := w.as("Joiner").Agent, w.as("Other").Agent
		a := &audience{w: w}
		var list []*heard
		add := func(name, who string, r reading.Record, f store.EventFilter, ends, leave int, hold <-chan struct{}) {
			h := &heard{name: name, want: func() []string { return w.stored(f, r.Cursor) }}
			if r.Cursor == reading.Now {
				h.want = func() []string { return w.stored(f, start) }
			}
			list = append(list, h)
			a.follow(h, who, r, ends, leave, hold)
		}
		status := string(parley.EventStatus)
		add("everything", "Ada", reading.Record{}, store.EventFilter{}, people, 0, nil)
		add("from now", "Ada", reading.Record{Cursor: reading.Now}, store.EventFilter{}, people, 0, nil)
		add("with breaks", "Bob", reading.Record{}, store.EventFilter{}, people, 7, nil)
		add("slowly", "Bob", reading.Record{}, store.EventFilter{}, people, 0, hold)
		add("of one", "Ada", reading.Record{Agent: "Other"}, store.EventFilter{Agent: other}, 1, 0, nil)
		add("of a kind", "Ada", reading.Record{Kind: status}, store.EventFilter{Kind: status}, people, 0, nil)
		add("its own", "Joiner", reading.Record{}, store.EventFilter{Sees: joiner}, 1, 0, nil)
		add("its own, slowly, with breaks", "Joiner", reading.Record{Cursor: reading.Now}, store.EventFilter{Sees: joiner}, 1, 100, hold)
		add("its own with another", "Other", reading.Record{Agent: "Other", Kind: "agent.*"}, store.EventFilter{Sees: other, Kind: "agent.*"}, 1, 3, nil)
		a.ready.Wait()

		var all sync.WaitGroup
		for n := range writers {
			all.Go(func() {
				for i := range each {
					w.recordLate(w.about(names[n%2], names[(n+i)%len(names)], fmt.Sprint(n, ".", i)), i%10 == n%10)
				}
			})
		}
		all.Wait()
		for _, name := range names {
			w.record(w.about(name, name, "end"))
		}
		close(hold)
		a.all.Wait()
		for _, h := range list {
			if diff := cmp.Diff(h.want(), h.list); diff != "" {
				t.Errorf("%s (-want +got):\n%s", h.name, diff)
			}
		}
	})
}

// recordLate records an event, and others of which one must be left out: of another team and
// of another kind. Where several can write at once, a late one commits after another that
// began later.
func (w *team) recordLate(e parley.Event, late bool) {
	err := w.store.Update(context.Background(), func(tx *store.Tx) error {
		tx.Record(e)
		elsewhere, other := e, e
		elsewhere.Team, elsewhere.Detail = e.Team+1, "of another team"
		other.Kind = parley.EventAgent
		tx.Record(elsewhere)
		tx.Record(other)
		if late && w.store.Shared() {
			if _, err := tx.Agent(e.Actor); err != nil { // sends it
				return err
			}
			w.record(w.about("Ada", "Other", "later, but first: "+e.Detail))
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
}

// What is redacted while it waits for a slow reader does not reach it.
func TestWhatWaitsForAReaderIsRedacted(t *testing.T) {
	onEachStore(t, func(t *testing.T, w *team) {
		hold, reached := make(chan struct{}), make(chan struct{})
		slow, quick := &heard{name: "slow"}, &heard{name: "quick"}
		a := &audience{w: w}
		a.follow(slow, "Ada", reading.Record{Cursor: reading.Now}, 1, 0, hold)
		a.follow(quick, "Bob", reading.Record{Cursor: reading.Now}, 1, 0, reached)
		a.ready.Wait()
		w.record(w.about("Ada", "Bob", "first"))
		w.record(w.about("Ada", "Bob", "the secret"))
		reached <- struct{}{}
		reached <- struct{}{} // the secret was handed out to both
		var secret parley.Event
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			list, err := tx.EventsContaining(w.id, 0, "the secret")
			if err != nil {
				return err
			}
			secret = list[0]
			tx.SetEventDetail(secret.ID, "taken away")
			tx.Signal(wake.Redacted, 1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.record(w.about("Ada", "Bob", "end"))
		close(hold)
		close(reached)
		a.all.Wait()
		for _, text := range slow.list[1:] {
			if text == secret.Cursor+" the secret" {
				t.Errorf("it was read: %q", slow.list)
			}
		}
		if len(slow.list) != 3 {
			t.Errorf("it reads %q", slow.list)
		}
	})
}

// broken is a store that can fail.
type broken struct {
	store.Store
	err atomic.Pointer[error]
}

func (b *broken) View(ctx context.Context, fn func(*store.Tx) error) error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return b.Store.View(ctx, fn)
}

// When the record cannot be read, everybody who follows hears why, and nothing is left
// running.
func TestAFailureReachesAllWhoFollow(t *testing.T) {
	st := &broken{Store: newTeam(t).store}
	w := teamOn(t, st)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	failure := errors.New("the disk is gone")
	const n = 3
	ended := make(chan error, n)
	for range n {
		var once sync.Once
		go func() {
			ended <- w.read.Events(t.Context(), w.as("Ada"), reading.Record{Cursor: reading.Now, Follow: true}, func(parley.Event) error { return nil },
				func() error { once.Do(func() { st.err.CompareAndSwap(nil, &failure) }); return nil })
		}()
	}
	for range n {
		if err := <-ended; !errors.Is(err, failure) {
			t.Error(err)
		}
	}
}
