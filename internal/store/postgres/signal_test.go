package postgres

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/wake"
)

func TestSignalsReachTheOtherHubOnce(t *testing.T) {
	dsn := pgtest.DSN(t)
	here, there := open(t, dsn, Options{}), open(t, dsn, Options{})
	heardHere, heardThere := make(chan int64, 100), make(chan int64, 100)
	defer here.Bus().Listen(wake.Ended, func(id int64) { heardHere <- id })()
	defer there.Bus().Listen(wake.Ended, func(id int64) { heardThere <- id })()
	for id := range int64(3) {
		err := here.Update(t.Context(), func(tx *store.Tx) error {
			tx.InsertToken("x", parley.Token{Agent: 1})
			tx.Signal(wake.Ended, id+1)
			tx.Signal(wake.Ended, id+1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var list []int64
	for len(list) < 3 {
		list = append(list, <-heardThere)
	}
	if slices.Sort(list); !slices.Equal(list, []int64{1, 2, 3}) {
		t.Errorf("the other hub heard %v", list)
	}
	// Notifications are ordered: what arrives now was sent after all of these.
	if err := there.Update(t.Context(), func(tx *store.Tx) error { tx.Signal(wake.Ended, 99); return nil }); err != nil {
		t.Fatal(err)
	}
	list = nil
	for id := range heardHere {
		if list = append(list, id); id == 99 {
			break
		}
	}
	if !slices.Equal(list, []int64{1, 1, 2, 2, 3, 3, 99}) {
		t.Errorf("this hub heard %v: its own come back to it from the server", list)
	}
}

func TestCloseTellsTheOthersFirst(t *testing.T) {
	dsn := pgtest.DSN(t)
	there := open(t, dsn, Options{})
	for i := range int64(5) {
		here := open(t, dsn, Options{})
		heard, stop := there.Bus().Watch(wake.Signal{Topic: wake.Work, ID: i + 1})
		if err := here.Update(t.Context(), func(tx *store.Tx) error { tx.Signal(wake.Work, i+1); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := here.Close(); err != nil {
			t.Fatal(err)
		}
		<-heard
		stop()
	}
}

// A hub loses what was sent while it did not listen, so it looks at everything again.
func TestListenerComesBackAndLooksAgain(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, other := open(t, dsn, Options{}), open(t, dsn, Options{})
	for range 3 {
		again, stop := s.Bus().Watch(wake.Signal{Topic: wake.Ended, ID: 77})
		exec(t, connect(t, dsn), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
		hear(t, again)
		stop()
	}
	// And it listens again.
	heard, stop := s.Bus().Watch(wake.Signal{Topic: wake.Work, ID: 5})
	defer stop()
	if err := other.Update(t.Context(), func(tx *store.Tx) error { tx.Signal(wake.Work, 5); return nil }); err != nil {
		t.Fatal(err)
	}
	hear(t, heard)
}

func TestNotifierSendsAgainWhatItCouldNotSend(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, other := open(t, dsn, Options{}), open(t, dsn, Options{})
	for id := range int64(3) {
		heard, stop := other.Bus().Watch(wake.Signal{Topic: wake.Work, ID: id + 1})
		if err := s.Update(t.Context(), func(tx *store.Tx) error { tx.Signal(wake.Work, id+1); return nil }); err != nil {
			t.Fatal(err)
		}
		hear(t, heard)
		stop()
		exec(t, connect(t, dsn), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE '%pg_notify%' AND pid <> pg_backend_pid()`)
	}
}

// hear waits for a signal. One that never comes fails the test by its name.
func hear(t *testing.T, signal <-chan struct{}) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(30 * time.Second):
		t.Fatal("the signal never came")
	}
}

func TestPayloads(t *testing.T) {
	var signals []wake.Signal
	for i := range int64(3000) {
		signals = append(signals, wake.Signal{Topic: wake.TaskInbox, ID: i << 40})
	}
	list := payloads("hub", signals)
	var got []wake.Signal
	for _, p := range list {
		hub, part := parsePayload(p)
		if hub != "hub" || len(p) > maxPayload {
			t.Errorf("%d bytes of %q", len(p), hub)
		}
		got = append(got, part...)
	}
	if diff := cmp.Diff(signals, got); diff != "" || len(list) < 2 {
		t.Errorf("%d payloads: %s", len(list), diff)
	}
	for _, strange := range []string{"", " ", "hub", "hub x 1 1. .1 1.x 300.1 -1.1 9999999999999999999.1", strings.Repeat(".", 100)} {
		if hub, list := parsePayload(strange); len(list) != 0 {
			t.Errorf("%q is read as %q %v", strange, hub, list)
		}
	}
}

func TestTooManyPendingSignalsBecomeEverything(t *testing.T) {
	n := newNotifier(address{}, "hub", nil)
	for i := range int64(maxPending + 1) {
		n.add([]wake.Signal{{Topic: wake.Work, ID: i + 1}})
	}
	if got := n.take(); len(got) != len(wake.Everything()) {
		t.Errorf("%d signals are pending", len(got))
	}
}
