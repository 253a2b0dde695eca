package crash

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/api"
	"parley/internal/pgtest"
)

// The database server goes away under a running hub and comes back, once in order and
// once after a crash. The hub survives both: work continues by itself, and nothing
// acknowledged is missing.
func TestPostgresGoesAwayAndComesBack(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	p := g.place("hub", team{store: dsn})
	_, seed := newRandom(t)
	gate, ledger := newGate(), newLedger()
	h := g.start(p)
	gate.open(0, h.waitUp())
	load := startLoad(gate, ledger, seed, clients)
	defer load.finish(0)
	s := &siege{ground: g, open: func() (database, error) { return openPostgres(t.Context(), dsn) }}

	for _, end := range []func(*pgtest.Server) error{(*pgtest.Server).Stop, (*pgtest.Server).Kill} {
		g.moreThan(ledger, 60)
		if err := server.end(end); err != nil {
			t.Fatal(err)
		}
		<-time.After(outage(t)) // as long as it takes somebody to start it again
		server.running(g)
		s.look(ledger, always)
		g.moreThan(ledger, 60)
		if !h.alive() {
			t.Fatalf("the hub ended: %v\n%s", h.how(), h.lastWords())
		}
	}
	if !load.finish(patience) {
		t.Errorf("the clients do not come to an end\n%s", h.lastWords())
	}
	g.settle(h.waitUp())
	h.stop()
	r := s.look(ledger, atRest)
	if r == nil {
		return
	}
	given, rescues := r.rescues()
	if given > 0 {
		t.Errorf("%d tasks were given up", given)
	}
	t.Logf("%d acknowledgements, %d tasks, %d rescues", ledger.total(), len(r.tasks), rescues)
}

// outage is short among the other tests. In the long run it is longer than the
// store itself waits for a server.
func outage(t *testing.T) time.Duration {
	if kills(t) < 50 {
		return time.Second
	}
	return 15 * time.Second
}

// Somebody has told the server not to wait for its log. The hub asks it to wait all
// the same, so what the hub acknowledged survives the server's death. A note that was
// stored the server's way does not survive, which shows that the test would notice.
func TestTheHubWaitsForTheServersLog(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	p := g.place("hub", team{store: dsn})
	g.query(dsn, "CREATE TABLE note (text TEXT)")
	g.query(dsn, "ALTER SYSTEM SET wal_writer_delay = '10s'")
	g.query(dsn, "SELECT pg_reload_conf()")
	g.query(dsn, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$")
	defer g.query(dsn, "ALTER SYSTEM RESET wal_writer_delay")

	g.query(dsn, "INSERT INTO note VALUES ('wakes whoever writes the log now and then')")
	h := g.start(p)
	hub := h.waitUp()
	ledger := newLedger()
	for i := range 10 {
		j := job{kind: kinds[0], id: fmt.Sprint(i)}
		ledger.begin(j)
		ledger.accept(j, g.contact(hub, api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key()}))
	}
	// Whatever the hub still stores would bring the note to the disk with it.
	h.signal(syscall.SIGSTOP)
	g.eventually("the server is at rest", func(context.Context) (bool, error) {
		busy := 0
		db, err := openPostgres(t.Context(), dsn)
		if err != nil {
			return false, err
		}
		err = db.each("SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()", func(cells) { busy++ })
		return busy == 0, errors.Join(err, db.close())
	})
	g.query(dsn, "INSERT INTO note VALUES ('lost')")
	server.crash(g)
	s := &siege{ground: g, open: func() (database, error) { return openPostgres(t.Context(), dsn) }}
	s.look(ledger, always)
	notes := 0
	db, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	if err := db.each("SELECT 1 FROM public.note WHERE text = 'lost'", func(cells) { notes++ }); err != nil {
		t.Fatal(err)
	}
	if notes > 0 {
		t.Error("the server's death lost nothing, so it shows nothing")
	}
}

// query runs a statement.
func (g *ground) query(dsn, sql string) {
	g.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		g.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		g.Fatalf("%s: %v", sql, err)
	}
}

// moreThan waits for n further acknowledgements.
func (g *ground) moreThan(l *ledger, n int) {
	g.Helper()
	enough := l.total() + n
	g.eventually("acknowledgements", func(context.Context) (bool, error) { return l.total() >= enough, nil })
}
