// Package pgtest gives tests a real PostgreSQL.
//
// A test calls [DSN] and gets its own empty database, which is dropped when the test
// ends. All tests of a process share one server. It is the one that
// PARLEY_TEST_POSTGRES names (make test starts one for the whole run), or else a
// temporary one, which goes away with the process, however that ends.
//
// [Start] starts a separate server for programs that need to choose its durability or
// to kill it: the crash suite and the benchmark. The package does not import testing,
// so that programs may import it.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Env names the variable that holds the DSN of a server to use instead of
// starting one. Its user must be allowed to create databases.
const Env = "PARLEY_TEST_POSTGRES"

// TB is the part of testing.TB that DSN needs.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// DSN returns the address of a fresh, empty database and drops it when the
// test ends. Where there is no PostgreSQL the test fails and says how to
// install it; it is never skipped.
func DSN(t TB) string {
	t.Helper()
	return database(t, emptyTemplate)
}

// Copy returns the address of a fresh copy of another test's database, to which
// nobody may be connected. Copying a schema is faster than creating it.
func Copy(t TB, dsn string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatalf("not the address of a test's database: %v", err)
	}
	return database(t, cfg.Database)
}

// emptyTemplate is the server's own template.
const emptyTemplate = "template1"

// database creates a database from a template, and drops it when the test ends.
func database(t TB, template string) string {
	t.Helper()
	admin, err := sharedServer()
	if err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	dsn, name, err := createDatabase(admin, template)
	if err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
	t.Cleanup(func() {
		if err := dropDatabase(admin, name); err != nil {
			t.Errorf("the test's database is left behind: %v", err)
		}
	})
	return dsn
}

// sharedServer is the address of the server on which databases are created.
func sharedServer() (string, error) {
	if dsn := os.Getenv(Env); dsn != "" {
		return dsn, nil
	}
	s, err := startShared()
	if err != nil {
		return "", err
	}
	return s.DSN("postgres"), nil
}

// startShared starts the temporary server once. Nothing needs to stop it: its watcher
// does when this process ends.
var startShared = sync.OnceValues(func() (*Server, error) { return Start("", Options{}) })

func createDatabase(admin, template string) (dsn, name string, err error) {
	name = "parley_test_" + strings.ToLower(rand.Text())
	if err := execute(admin, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		return "", "", err
	}
	dsn, err = withDatabase(admin, name)
	return dsn, name, err
}

// dropDatabase also ends open connections: a test that leaks one must not leave its
// database behind as well.
func dropDatabase(admin, name string) error {
	return execute(admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

func execute(dsn, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// withDatabase returns dsn, in either of its two notations, with another database.
func withDatabase(dsn, database string) (string, error) {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return dsn + " dbname=" + database, nil // the last one counts
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "", fmt.Errorf("%s is not a PostgreSQL address: %w", Env, err)
	}
	u.Path = "/" + database
	return u.String(), nil
}
