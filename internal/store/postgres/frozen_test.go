package postgres

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

// shared stores an agent whose row the tests compete for.
func shared(t *testing.T, s *Store) parley.AgentID {
	t.Helper()
	a := parley.Agent{Team: 1, Name: "Shared", Kind: parley.Native}
	if err := s.Update(t.Context(), func(tx *store.Tx) error { tx.InsertAgent(&a); return nil }); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// count locks the row, calls within, and adds one.
func count(id parley.AgentID, within func()) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		a, err := tx.LockAgent(id)
		if err != nil {
			return err
		}
		within()
		tx.SetRate(a.ID, parley.Rate{At: a.Rate.At + 1})
		return nil
	}
}

func counted(t *testing.T, s *Store, id parley.AgentID, want int) {
	t.Helper()
	if err := s.View(t.Context(), func(tx *store.Tx) error {
		a, err := tx.Agent(id)
		if err == nil && int(a.Rate.At) != want {
			t.Errorf("%d were stored, not %d", a.Rate.At, want)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// A hub freezes between its two round trips, with a lock in its hands. The server
// takes the lock away, so that the other hub goes on. The frozen one finds that out
// when it wakes up, and does its work again: it is known that nothing was stored.
func TestAFrozenHubsLockIsTakenAway(t *testing.T) {
	dsn := pgtest.DSN(t)
	frozen, other := open(t, dsn, Options{}), open(t, dsn, Options{})
	id := shared(t, other)
	locked, woken := make(chan struct{}), make(chan struct{})
	runs := 0
	result := make(chan error, 1)
	go func() {
		result <- frozen.Update(context.Background(), count(id, func() {
			if runs++; runs == 1 {
				close(locked)
				<-woken
			}
		}))
	}()
	<-locked
	if err := other.Update(t.Context(), count(id, func() {})); err != nil {
		t.Errorf("the other hub: %v", err)
	}
	close(woken)
	if err := <-result; err != nil || runs != 2 {
		t.Errorf("the frozen hub: %d runs, %v", runs, err)
	}
	counted(t, other, id, 2)
}

// A frozen hub also leaves the queue for a lock. Otherwise each of its connections
// would be given the lock in turn, and would keep it for as long as it may idle.
func TestAWaiterLeavesTheQueueAndComesBack(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, c := open(t, dsn, Options{}), connect(t, dsn)
	id := shared(t, s)
	exec(t, c, fmt.Sprintf(`BEGIN; SELECT 1 FROM parley.agent WHERE id = %d FOR UPDATE`, id))
	tries := make(chan struct{})
	result := make(chan error, 1)
	go func() {
		result <- s.Update(context.Background(), func(tx *store.Tx) error {
			tries <- struct{}{}
			return count(id, func() {})(tx)
		})
	}()
	for range 2 { // it leaves the queue and tries again
		select {
		case <-tries:
		case err := <-result:
			t.Fatalf("it did not come back: %v", err)
		}
	}
	go func() {
		for range tries {
		}
	}()
	exec(t, c, `COMMIT`)
	if err := <-result; err != nil {
		t.Error(err)
	}
	close(tries)
	counted(t, s, id, 1)
}

// Whoever waits for a lock in vain is told so in the end.
func TestALockThatIsNeverReleasedSaysSo(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, c := open(t, dsn, Options{}), connect(t, dsn)
	s.queueing = time.Millisecond
	id := shared(t, s)
	exec(t, c, fmt.Sprintf(`BEGIN; SELECT 1 FROM parley.agent WHERE id = %d FOR UPDATE`, id))
	if err := s.Update(t.Context(), count(id, func() {})); parley.KindOf(err) != parley.Unavailable {
		t.Error(err)
	}
}

// The bounds of docs/operations.md hold on every connection of a hub.
func TestNoConnectionHoldsLocksForLong(t *testing.T) {
	s := open(t, pgtest.DSN(t), Options{})
	c, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for setting, most := range map[string]int64{"idle_in_transaction_session_timeout": 1000, "lock_timeout": 1000} {
		if ms := number(t, c.Conn(), `SELECT setting::bigint FROM pg_settings WHERE name = $1`, setting); ms <= 0 || ms > most {
			t.Errorf("%s is %d ms", setting, ms)
		}
	}
}

// Somebody who steps through a transaction in a debugger needs more time.
func TestTheAddressMaySetItsOwnTimes(t *testing.T) {
	u := database(t)
	s := open(t, with(u, "idle_in_transaction_session_timeout", "5min"), Options{})
	c, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if ms := number(t, c.Conn(), `SELECT setting::bigint FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`); ms != 300_000 {
		t.Errorf("it is %d ms", ms)
	}
	if ms := number(t, c.Conn(), `SELECT setting::bigint FROM pg_settings WHERE name = 'lock_timeout'`); ms > 1000 {
		t.Errorf("the other one is %d ms", ms)
	}
}

// The server only ends an idle session before it has read the COMMIT, so its reason
// says that nothing was stored. No other reason does.
func TestWhatIsKnownOfALostCommit(t *testing.T) {
	for _, c := range []struct {
		err     error
		unknown bool
		remedy  remedy
	}{
		{&pgconn.PgError{Code: "25P03"}, false, reconnect},
		{&pgconn.PgError{Code: "57P01"}, true, giveUp},
		{net.ErrClosed, true, giveUp},
		{&net.OpError{Op: "write", Err: syscall.EPIPE}, false, reconnect}, // it could not be sent
	} {
		f := &fault{err: c.err, lost: true, committing: true}
		if f.unknown() != c.unknown || f.remedy() != c.remedy {
			t.Errorf("%v: unknown %v, remedy %v", c.err, f.unknown(), f.remedy())
		}
	}
}

// A connection that the server ended before the COMMIT was sent has stored nothing.
func TestConnectionLostJustBeforeTheCommitIsRunAgain(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, c := open(t, dsn, Options{}), connect(t, dsn)
	runs := 0
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Agents(1); err != nil {
			return err
		}
		tx.InsertToken("kept", parley.Token{Agent: 1})
		if runs++; runs == 1 {
			exec(t, c, terminateOthers)
			for number(t, c, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`) > 0 {
			}
		}
		return nil
	})
	if err != nil || runs != 2 || tokens(t, c, "kept") != 1 {
		t.Errorf("%d runs, %v", runs, err)
	}
}

// A transaction that is run again gets more time, and only that one.
func TestASecondTryHasMoreTime(t *testing.T) {
	s := open(t, pgtest.DSN(t), Options{MaxConns: 1})
	for _, c := range []struct {
		times *times
		want  int64
	}{{nil, 300}, {&s.address.later, 1000}, {nil, 300}} {
		got, release, err := s.acquire(t.Context(), beginUpdate, c.times)
		if err != nil {
			t.Fatal(err)
		}
		err = got.Query(store.Query{SQL: `SELECT setting::bigint FROM pg_settings WHERE name IN ('lock_timeout', 'idle_in_transaction_session_timeout')`,
			Row: func(r store.Row) {
				if ms := r.Int(0); ms != c.want {
					t.Errorf("%d ms, not %d", ms, c.want)
				}
			}})
		if err != nil {
			t.Error(err)
		}
		got.rollback()
		release()
	}
}
