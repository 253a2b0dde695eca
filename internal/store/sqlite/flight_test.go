package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley/internal/store"
)

// aloft has a batch in flight, whose first row waits until land is called. It is refused
// then, and so is its closure, if it should be.
func (w *talk) aloft(t *testing.T, refused bool) (land func()) {
	t.Helper()
	flying, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	tries := 0
	w.writer.flies = true // nobody else uses it now
	w.onWriter(t, func(c *conn) {
		err := c.raw.CreateFunction("hold", &sqlite.FunctionImpl{AllowIndirect: true, Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
			if tries++; tries == 1 {
				close(flying)
				<-release
			}
			if refused {
				return sqlite.IntegerValue(1), nil
			}
			return sqlite.IntegerValue(0), nil
		}})
		if err == nil {
			err = sqlitex.ExecuteTransient(c.raw, `CREATE TEMP TRIGGER held BEFORE INSERT ON main.message
				WHEN new.key = 'held' BEGIN SELECT CASE WHEN hold() THEN RAISE(ABORT, 'refused') END; END`, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	closures := []func(*store.Tx) error{func(tx *store.Tx) error { return w.say(tx, "held", "held") }}
	for len(closures) < flightSize {
		closures = append(closures, func(tx *store.Tx) error { return w.say(tx, "with it", "") })
	}
	go func() {
		defer close(ended)
		for i, err := range batch(t, w.Store, closures) {
			if (err != nil) != (refused && i == 0) {
				t.Errorf("%d in flight: %v", i, err)
			}
		}
	}()
	<-flying
	return func() {
		close(release)
		<-ended
	}
}

// While a batch is in flight closures run that need no connection. They are answered when
// they are stored themselves. Whoever reads waits for the batch. If that fails, those who
// may have seen what is not stored run again.
func TestClosuresRunWhileABatchIsInFlight(t *testing.T) {
	for _, c := range []struct{ refused, reading bool }{{false, true}, {true, true}, {true, false}} {
		synctest.Test(t, func(t *testing.T) {
			w := newTalk(t)
			readFirst := func(tx *store.Tx) error {
				_, err := tx.Message(1)
				return err
			}
			for _, fn := range []func(*store.Tx) error{func(tx *store.Tx) error { return w.say(tx, "before", "") }, readFirst} {
				if err := w.Update(t.Context(), fn); err != nil {
					t.Fatal(err)
				}
			}
			land := w.aloft(t, c.refused)
			var all sync.WaitGroup
			hand := func(fn func(*store.Tx) error) (answered *bool) {
				answered = new(bool)
				all.Go(func() {
					if err := w.Update(context.Background(), fn); err != nil {
						t.Error(err)
					}
					*answered = true
				})
				synctest.Wait()
				return answered
			}
			ran, read := 0, false
			answered := hand(func(tx *store.Tx) error { ran++; return w.say(tx, "after", "") })
			if ran != 1 || *answered {
				t.Errorf("in flight: ran %d times, answered %v", ran, *answered)
			}
			if c.reading && *hand(func(tx *store.Tx) error { err := readFirst(tx); read = true; return err }) || read {
				t.Error("somebody read beside the one who stores")
			}
			land()
			all.Wait()
			want := []string{"before", "held", "with it", "with it", "with it", "after"}
			if c.refused {
				want = slices.Delete(want, 1, 2)
			}
			if diff := cmp.Diff(want, w.said(t)); diff != "" {
				t.Errorf("%+v, said (-want +got):\n%s", c, diff)
			}
		})
	}
}

// Ways in which something is said; any other is the usual one.
const (
	sameKey = iota
	refusedBefore
	refusedAfter
	wipes
	reads
)

func (w *talk) sayIn(tx *store.Tx, way int, body, key string) error {
	switch way {
	case refusedBefore:
		return errRefused
	case reads:
		if _, err := tx.UnreadMail(store.MailFilter{To: w.b.ID, Limit: 1}); err != nil {
			return err
		}
	}
	if err := w.say(tx, body, key); err != nil || way != refusedAfter {
		return err
	}
	return errRefused
}

// Many callers at once, of whom some are refused before or after they wrote, some have
// rows that the engine refuses, some read, and some wipe: what they are told is what is stored.
func TestWhatCallersAreToldIsStored(t *testing.T) {
	for name, limits := range map[string]tailLimits{"lists in memory": usualLimits, "passes": checkedLimits} {
		t.Run(name, func(t *testing.T) {
			w := newTalk(t)
			w.writer.conn.limits, w.writer.flies = limits, true // nobody else uses it now
			w.tellCallers(t)
		})
	}
}

func (w *talk) tellCallers(t *testing.T) {
	const callers, each = 24, 60
	var mu sync.Mutex
	var want []string
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), 1))
			for i := range each {
				body := fmt.Sprintf("%d of %d", i, caller)
				key, way := fmt.Sprint("key ", body), random.IntN(60)
				if way == sameKey {
					key = "the same" // which one may have
				}
				err := w.writer.hand(func(tx *store.Tx) error { return w.sayIn(tx, way, body, key) }, way == wipes)
				if refused := way == refusedBefore || way == refusedAfter; way != sameKey && (err != nil) != refused {
					t.Errorf("%s, %d: %v", body, way, err)
				}
				if err == nil {
					mu.Lock()
					want = append(want, body)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	got := w.said(t)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told and stored (-told +stored):\n%s", diff)
	}
	if err := w.Update(t.Context(), func(tx *store.Tx) error {
		mail, err := tx.UnreadMail(store.MailFilter{To: w.b.ID, Limit: callers * each})
		if len(mail) != len(want) {
			t.Errorf("%d of %d are unread mail", len(mail), len(want))
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
