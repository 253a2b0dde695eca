package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/pgtest"
)

// Neither shown nor logged texts may contain the password, however the address is
// mistyped.
func TestErrorsNeverHoldThePassword(t *testing.T) {
	for _, dsn := range []string{
		"postgres://user:s3cret@localhost:1/db",
		"postgres://user:s3cret@localhost:port/db",
		"postgres://user:s3cret/x@localhost/db",
		"postgres://user:s3cret@[::1/db",
		"postgres://user:s3cret@localhost/db?sslmode=perhaps",
		"postgres://user:s3cret@localhost/db?connect_timeout=soon",
		"postgres://user:s3cret@/db?host=/nowhere",
		"postgres://user:s3cret%zz@localhost/db",
		"postgres//user:s3cret@localhost/db",
		"user=u password=s3cret host=localhost port=1",
		"user=u password='s3cret host=localhost",
		"user=u password=s3cret host=localhost port=x",
		"user=u password = s3cret, host=/nowhere",
		"postgres://user:s3cret@localhost:1/db?search_path=Not+Plain",
		"s3cret",
	} {
		_, err := Open(t.Context(), dsn, Options{})
		if err == nil {
			t.Errorf("%s was opened", dsn)
		}
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			if text := fmt.Sprintf("%v %+v %#v", inner, inner, inner.Error()); strings.Contains(text, "s3cret") {
				t.Errorf("%s: %s", dsn, text)
			}
		}
		var e *parley.Error
		if !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s: no hint in %v", dsn, err)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	u := database(t)
	elsewhere, stranger := *u, *u
	elsewhere.Path = "/nowhere"
	stranger.User = url.UserPassword("stranger", "s3cret")
	for what, c := range map[string]struct{ dsn, want string }{
		"no such database": {elsewhere.String(), "createdb nowhere"},
		"no such user":     {stranger.String(), "Check the user"},
		"no such server":   {with(u, "host", "/nowhere"), "Check the address"},
		"several schemas":  {with(u, "search_path", "a,b"), "one schema"},
		"a system schema":  {with(u, "search_path", "pg_catalog"), "cannot be the schema"},
	} {
		if _, err := Open(t.Context(), c.dsn, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestConnectionsAreCountedAsAsked(t *testing.T) {
	for _, c := range []struct {
		dsn  string
		max  int
		want int32
	}{
		{"postgres://h/db", 0, 40},
		{"postgres://h/db?pool_max_conns=7", 0, 7},
		{"postgres://h/db?pool_max_conns=7", 9, 9},
	} {
		a, err := parseAddress(c.dsn, c.max)
		if err != nil || a.pool.MaxConns != c.want {
			t.Errorf("%+v: %d, %v", c, a.pool.MaxConns, err)
		}
	}
}

// Work waits for a connection that another program holds, as long as patience allows.
func TestTooManyConnections(t *testing.T) {
	server := startServerWith(t, serverDir(t), pgtest.Options{MaxConnections: 8})
	dsn, err := server.NewDatabase()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dsn, Options{MaxConns: 64, Patience: time.Minute})
	done := make(chan error, 32)
	for i := range cap(done) {
		go func() { done <- s.Update(t.Context(), token(fmt.Sprint(i))) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := number(t, connect(t, dsn), `SELECT count(*) FROM parley.token`); n != int64(cap(done)) {
		t.Errorf("%d tokens are stored", n)
	}
}
