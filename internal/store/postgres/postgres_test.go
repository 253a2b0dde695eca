package postgres

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// TestMain uses a server of its own where PostgreSQL is installed. A transaction in
// flight anywhere on a server, even in another package's tests, holds back the events
// after it, and these tests read events at once.
func TestMain(m *testing.M) {
	if _, err := pgtest.Find(); err == nil {
		_ = os.Unsetenv(pgtest.Env)
	}
	goleak.VerifyTestMain(m)
}

func TestConformance(t *testing.T) {
	schema := pgtest.DSN(t)
	s, err := Open(t.Context(), schema, Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.Run(t, func(t testing.TB) storetest.Open {
		dsn := patient(t, pgtest.Copy(t, schema))
		return func(clock parley.Clock) (store.Store, error) {
			return Open(context.Background(), dsn, Options{Clock: clock})
		}
	})
}

// patient lets transactions idle and wait for long: the suite counts how often closures
// run, and on a busy machine the usual times would be over too soon.
func patient(t testing.TB, dsn string) string {
	u := asURL(t, dsn)
	q := u.Query()
	q.Set("idle_in_transaction_session_timeout", "10min")
	q.Set("lock_timeout", "10min")
	u.RawQuery = q.Encode()
	return u.String()
}

func TestDescribeNamesServerAndDatabase(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{})
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Describe(); !regexp.MustCompile(`^postgresql \d+(\.\d+)*, database ` + c.Database + ` on .+$`).MatchString(got) {
		t.Error(got)
	}
	if !s.Shared() {
		t.Error("several hubs may use it")
	}
}

// everyStatement has a store use all of its statements on one connection, and returns those
// that it knows then.
func everyStatement(t *testing.T, dsn string) map[string]*statement {
	t.Helper()
	s := open(t, dsn, Options{MaxConns: 1})
	if err := storetest.EveryStatement(s); err != nil {
		t.Fatal(err)
	}
	pooled, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pooled.Release()
	return maps.Clone(sessionOf(pooled.Conn().PgConn()).statements)
}

// A statement that scans a big table is slow only once the table has grown.
func TestEveryStatementHasItsIndex(t *testing.T) {
	dsn := pgtest.DSN(t)
	known := everyStatement(t, dsn)
	c := connect(t, dsn)
	exec(t, c, `SET search_path = parley; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off`)
	explained := 0
	for _, st := range known {
		if !strings.Contains(st.sql, " task") && !strings.Contains(st.sql, "message") && !strings.Contains(st.sql, "event") {
			continue
		}
		if st.known == nil || !regexp.MustCompile(`^(SELECT|UPDATE|WITH)`).MatchString(st.sql) {
			continue
		}
		explained++
		if plan := explain(t, c, st.sql, len(st.known.ParamOIDs)); strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s\n%s", st.sql, plan)
		}
	}
	if explained < 30 {
		t.Errorf("only %d statements were looked at", explained)
	}
}

func explain(t *testing.T, c *pgx.Conn, sql string, params int) string {
	t.Helper()
	execute := "EXECUTE looked_at"
	if params > 0 {
		execute += "(" + strings.TrimSuffix(strings.Repeat("NULL,", params), ",") + ")"
	}
	exec(t, c, "PREPARE looked_at AS "+sql)
	defer exec(t, c, "DEALLOCATE looked_at")
	rows, err := c.Query(t.Context(), "EXPLAIN "+execute, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(lines, "\n")
}

// database is a fresh database. Its address is a URL that tests can take apart.
func database(t testing.TB) *url.URL {
	t.Helper()
	return asURL(t, pgtest.DSN(t))
}

func asURL(t testing.TB, dsn string) *url.URL {
	t.Helper()
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := url.Values{"host": {c.Host}, "port": {fmt.Sprint(c.Port)}, "sslmode": {"disable"}}
	if c.TLSConfig != nil {
		q.Set("sslmode", "require")
	}
	return &url.URL{Scheme: "postgres", User: url.UserPassword(c.User, c.Password), Path: "/" + c.Database, RawQuery: q.Encode()}
}

// with returns the address with one parameter set.
func with(u *url.URL, name, value string) string {
	changed, q := *u, u.Query()
	q.Set(name, value)
	changed.RawQuery = q.Encode()
	return changed.String()
}

// open opens a store that is closed with the test.
func open(t testing.TB, dsn string, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect opens a connection for the test itself.
func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeQuickly(c) })
	return c
}

// exec runs SQL, several statements if need be.
func exec(t testing.TB, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.PgConn().Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func number(t testing.TB, c *pgx.Conn, sql string, args ...any) (n int64) {
	t.Helper()
	if err := c.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// token stores a row that nothing else depends on.
func token(hash string) func(*store.Tx) error {
	return func(tx *store.Tx) error { tx.InsertToken(hash, parley.Token{Agent: 1}); return nil }
}

func tokens(t testing.TB, c *pgx.Conn, hash string) int64 {
	t.Helper()
	return number(t, c, `SELECT count(*) FROM parley.token WHERE hash = $1`, hash)
}
