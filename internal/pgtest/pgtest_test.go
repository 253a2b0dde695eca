package pgtest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestDSNGivesEachTestAnEmptyDatabaseOfItsOwn(t *testing.T) {
	first, second := DSN(t), DSN(t)
	if first == second {
		t.Fatalf("both tests got %s", first)
	}
	query(t, first, "CREATE TABLE note (text text)")
	if got := query(t, second, "SELECT coalesce(to_regclass('note')::text, 'absent')"); got != "absent" {
		t.Errorf("a table made in the first database is seen in the second: %q", got)
	}
}

func TestDSNDropsTheDatabaseWhenTheTestEnds(t *testing.T) {
	var dsn string
	t.Run("user", func(t *testing.T) {
		dsn = DSN(t)
		// A forgotten connection must not keep the database alive.
		if _, err := pgx.Connect(t.Context(), dsn); err != nil {
			t.Fatal(err)
		}
	})
	conn, err := pgx.Connect(t.Context(), dsn)
	if err == nil {
		t.Errorf("%s still answers after its test: %v", dsn, conn.Close(t.Context()))
	} else if !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestWithDatabase(t *testing.T) {
	for _, c := range []struct{ dsn, want string }{
		{"postgres://parley@/postgres?host=%2Ftmp%2Fx", "postgres://parley@/other?host=%2Ftmp%2Fx"},
		{"postgresql://u:p@localhost:5433/main", "postgresql://u:p@localhost:5433/other"},
		{"postgres://localhost", "postgres://localhost/other"},
		{"host=/tmp/x dbname=main", "host=/tmp/x dbname=main dbname=other"},
	} {
		got, err := withDatabase(c.dsn, "other")
		if err != nil || got != c.want {
			t.Errorf("withDatabase(%q) = %q, %v; want %q", c.dsn, got, err, c.want)
			continue
		}
		config, err := pgx.ParseConfig(got)
		if err != nil || config.Database != "other" {
			t.Errorf("%q leads to %v, %v", got, config, err)
		}
	}
}

func TestFindSaysHowToInstallPostgres(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := find([]string{t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "Install it:") || !strings.Contains(err.Error(), Env) {
		t.Errorf("the error does not help: %v", err)
	}
}

// query returns the first value of the result as text, "" if there is none.
func query(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if last := results[len(results)-1]; len(last.Rows) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}
