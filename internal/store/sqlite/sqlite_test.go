package sqlite

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hasty does not wait for the disk. The crash suite tests whether anything is lost
// with the machine.
const hasty = "OFF"

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Open {
		path := emptyFile(t)
		return func(clock parley.Clock) (store.Store, error) {
			return Open(path, Options{Clock: clock, Synchronous: hasty, checks: true})
		}
	})
}

// emptyFile is a database with nothing but its schema. Copying it is much faster than
// creating it.
func emptyFile(t testing.TB) string {
	t.Helper()
	data, err := schemaOnly()
	path := filepath.Join(t.TempDir(), "parley.db")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var schemaOnly = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "schema")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "parley.db")
	s, err := Open(path, Options{Synchronous: hasty})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	return data, errors.Join(err, os.RemoveAll(dir))
})

// A statement that scans a big table is slow only once the table has grown. The
// tables of teams, agents, channels and workers stay small.
func TestEveryStatementHasItsIndex(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
	if err := storetest.EveryStatement(s); err != nil {
		t.Fatal(err)
	}
	var known map[string]*statement
	s.onWriter(t, func(c *conn) { known = maps.Clone(c.stmts) })
	for range cap(s.readers) {
		c := <-s.readers
		maps.Copy(known, c.stmts)
		s.readers <- c
	}
	small := []string{"team", "agent", "channel", "worker", "l", "sub", "going", "listed", "listing_mark", "CONSTANT"} // l, sub, going and listed are temporary
	explained := 0
	for sql, st := range known {
		if !strings.HasPrefix(sql, "SELECT") && !strings.HasPrefix(sql, "UPDATE") && !strings.HasPrefix(sql, "WITH") {
			continue
		}
		if strings.Contains(sql, "ORDER BY id DESC LIMIT") {
			continue // goes back from the newest and stops
		}
		explained++
		for _, line := range s.explain(t, sql, len(st.params)) {
			scan, found := strings.CutPrefix(line, "SCAN ")
			if !found || strings.Contains(scan, " USING ") {
				continue
			}
			if strings.HasSuffix(scan, "VIRTUAL TABLE INDEX 2:") || strings.HasSuffix(scan, "VIRTUAL TABLE INDEX 6:") {
				continue // the ids of one owner
			}
			if table, _, _ := strings.Cut(scan, " "); table == "late" && strings.HasPrefix(sql, "SELECT d.recipient_id, count(*)") {
				continue // counts the mail of all agents
			} else if !slices.Contains(small, table) {
				t.Errorf("%s\n%s", sql, line)
			}
		}
	}
	if explained < 40 {
		t.Errorf("only %d statements were looked at", explained)
	}
}

func (s *Store) explain(t *testing.T, sql string, params int) (lines []string) {
	t.Helper()
	s.onWriter(t, func(c *conn) {
		if err := c.Query(store.Query{SQL: "EXPLAIN QUERY PLAN " + sql, Args: make([]any, params),
			Row: func(r store.Row) { lines = append(lines, r.Text(3)) }}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	})
	return lines
}

// onWriter runs fn once, where it may use the writer's connection.
func (s *Store) onWriter(t *testing.T, fn func(c *conn)) {
	t.Helper()
	done := false
	err := s.Update(t.Context(), func(*store.Tx) error {
		if !done {
			done = true
			fn(s.writer.conn)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// openStore opens a store that is closed with the test.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{Synchronous: hasty})
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

// token stores a row that nothing else depends on.
func token(hash string) func(*store.Tx) error {
	return func(tx *store.Tx) error { tx.InsertToken(hash, parley.Token{Agent: 1}); return nil }
}

func (s *Store) has(t testing.TB, hash string) bool {
	t.Helper()
	var err error
	if e := s.View(t.Context(), func(tx *store.Tx) error { _, err = tx.TokenByHash(hash); return nil }); e != nil {
		t.Fatal(e)
	}
	if err != nil && err != store.ErrNotFound {
		t.Fatal(err)
	}
	return err == nil
}
