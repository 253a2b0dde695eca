package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/wake"
)

// Two closures lock the same two rows in opposite order. The server ends one of them;
// it runs again, and both are stored.
func TestDeadlockIsRunAgain(t *testing.T) {
	s := open(t, pgtest.DSN(t), Options{})
	agents := make([]parley.Agent, 2)
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		for i := range agents {
			agents[i] = parley.Agent{Team: 1, Name: fmt.Sprint(i), Kind: parley.Native}
			tx.InsertAgent(&agents[i])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int32
	both := make(chan struct{})
	done := make(chan error, 2)
	for i := range 2 {
		go func() {
			done <- s.Update(context.Background(), func(tx *store.Tx) error {
				a, err := tx.LockAgent(agents[i].ID)
				if err != nil {
					return err
				}
				switch runs.Add(1) {
				case 1:
					<-both
				case 2:
					close(both) // each holds one now
				}
				b, err := tx.LockAgent(agents[1-i].ID)
				tx.SetRate(a.ID, parley.Rate{At: a.Rate.At + 1})
				tx.SetRate(b.ID, parley.Rate{At: b.Rate.At + 1})
				return err
			})
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	// The one that runs again may collide once more, before the other has its lock.
	if n := runs.Load(); n < 3 {
		t.Errorf("%d runs of two closures: they met no deadlock", n)
	}
	if err := s.View(t.Context(), func(tx *store.Tx) error {
		for _, a := range agents {
			if a, err := tx.Agent(a.ID); err != nil || a.Rate.At != 2 {
				t.Errorf("%+v, %v", a.Rate, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// terminateOthers ends the connections that are within a transaction.
const terminateOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE datname = current_database() AND state = 'idle in transaction'`

func TestConnectionLostBeforeTheCommitIsRunAgain(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, c := open(t, dsn, Options{}), connect(t, dsn)
	runs := 0
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertToken("kept", parley.Token{Agent: 1})
		if _, err := tx.Agents(1); err != nil {
			return err
		}
		if runs++; runs == 1 {
			exec(t, c, terminateOthers)
		}
		if _, err := tx.Agents(1); err != nil {
			return fmt.Errorf("the closure's view of it: %v", err) // hides the cause
		}
		return nil
	})
	if err != nil || runs != 2 || tokens(t, c, "kept") != 1 {
		t.Errorf("%d runs, %v", runs, err)
	}
}

// Nobody can tell whether an unanswered COMMIT took effect: the caller is told so,
// and the closure does not run again by itself.
func TestConnectionLostDuringTheCommitIsAnUnknownOutcome(t *testing.T) {
	u := database(t)
	c := connect(t, u.String())
	for _, read := range []bool{true, false} {
		t.Run(fmt.Sprint("read first ", read), func(t *testing.T) {
			p := newProxy(t, u)
			s := open(t, p.dsn, Options{})
			heard, stop := s.Bus().Watch(wake.Signal{Topic: wake.Work, ID: 1})
			defer stop()
			runs := 0
			hash := fmt.Sprint("token ", read)
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				runs++
				if read {
					if _, err := tx.Agents(1); err != nil {
						return err
					}
				}
				tx.InsertToken(hash, parley.Token{Agent: 1})
				tx.Signal(wake.Work, 1)
				p.swallowReplies()
				return nil
			})
			if parley.KindOf(err) != parley.Unavailable || !strings.Contains(parley.Public(err), "unknown") || runs != 1 {
				t.Errorf("%d runs, %v", runs, err)
			}
			if tokens(t, c, hash) != 1 {
				t.Error("this one was stored; the test is not what it says")
			}
			select {
			case <-heard:
			default:
				t.Error("it was stored and nobody is told to look")
			}
		})
	}
}

// trigger makes the server fail in a given way whenever a token is stored.
func trigger(t *testing.T, dsn, body string) {
	t.Helper()
	exec(t, connect(t, dsn), `SET search_path = parley; CREATE SEQUENCE failures;
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN `+body+` RETURN NEW; END $$;
		CREATE TRIGGER fail BEFORE INSERT ON token FOR EACH ROW EXECUTE FUNCTION fail();`)
}

func TestLosingAgainstOthersIsRunAgainSeveralTimes(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{})
	trigger(t, dsn, `IF nextval('failures') <= 5 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END IF;`)
	runs := 0
	err := s.Update(t.Context(), func(tx *store.Tx) error { runs++; return token("kept")(tx) })
	if err != nil || runs != 6 || tokens(t, connect(t, dsn), "kept") != 1 {
		t.Errorf("%d runs, %v", runs, err)
	}
}

func TestServerFailuresSayWhatToDo(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{})
	s.queueing = 0
	trigger(t, dsn, `RAISE EXCEPTION 'as told' USING ERRCODE = NEW.hash;`)
	for _, c := range []struct {
		code string
		kind parley.Kind
		text string
		runs int
	}{
		{"53100", parley.Internal, "disk is full", 1},
		{"53200", parley.Internal, "out of memory", 1},
		{"55P03", parley.Unavailable, "busy", 1},
		{"57014", parley.Unavailable, "busy", 1},
		{"42501", parley.Internal, "permission", 1},
		{"58030", parley.Internal, "log", 1},
		{"40001", parley.Unavailable, "Try again", maxReruns},
		{"23505", parley.Internal, "", 2},
		{"23502", parley.Internal, "", 1},
	} {
		runs := 0
		err := s.Update(t.Context(), func(tx *store.Tx) error { runs++; return token(c.code)(tx) })
		if parley.KindOf(err) != c.kind || !strings.Contains(fmt.Sprint(err), c.text) || runs != c.runs {
			t.Errorf("%s: %d runs, %v", c.code, runs, err)
		}
	}
	if n := number(t, connect(t, dsn), `SELECT count(*) FROM parley.token`); n != 0 {
		t.Errorf("%d of them were stored", n)
	}
}

func TestReadOnlyDatabaseSaysSo(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{Patience: time.Millisecond})
	c := connect(t, dsn)
	exec(t, c, `DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET default_transaction_read_only = on'; END $$;
		SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	s.pool.Reset()
	err := s.Update(t.Context(), token("lost"))
	if parley.KindOf(err) != parley.Internal || !strings.Contains(fmt.Sprint(err), "read-only") {
		t.Error(err)
	}
	if err := s.View(t.Context(), func(tx *store.Tx) error { _, err := tx.Agents(1); return err }); err != nil {
		t.Errorf("reading: %v", err)
	}
}

// A hub survives a crash of its server: work waits, and whoever waited for signals
// looks again.
func TestServerCrashIsWaitedFor(t *testing.T) {
	dir := serverDir(t)
	server := startServer(t, dir)
	dsn, err := server.NewDatabase()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dsn, Options{Patience: time.Minute})
	if err := s.Update(t.Context(), token("before")); err != nil {
		t.Fatal(err)
	}
	again, stop := s.Bus().Watch(wake.Signal{Topic: wake.Ended, ID: 1})
	defer stop()

	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	stored := make(chan error, 8)
	for i := range cap(stored) {
		go func() { stored <- s.Update(context.Background(), token(fmt.Sprint("during ", i))) }()
	}
	startServer(t, dir)
	for range cap(stored) {
		if err := <-stored; err != nil {
			t.Error(err)
		}
	}
	<-again
	if n := number(t, connect(t, dsn), `SELECT count(*) FROM parley.token`); n != int64(1+cap(stored)) {
		t.Errorf("%d tokens are stored", n)
	}
}

func TestServerThatStaysAwaySaysSo(t *testing.T) {
	server := startServer(t, serverDir(t))
	dsn, err := server.NewDatabase()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dsn, Options{Patience: 10 * time.Millisecond})
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), token("lost"))
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(fmt.Sprint(err), "Check that its server is running") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.patience = time.Hour
	cancelled := make(chan error, 1)
	go func() { cancelled <- s.Update(ctx, token("lost")) }()
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) && parley.KindOf(err) != parley.Unavailable {
		t.Errorf("a caller that gave up: %v", err)
	}
}
