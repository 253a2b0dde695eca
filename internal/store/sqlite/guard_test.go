package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
)

// A database belongs to one hub: a second one is refused, and the first one
// continues.
func TestASecondHubIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openStore(t, path)
	second, err := Open(path, Options{})
	if err == nil {
		_ = second.Close()
	}
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "in use by another hub") {
		t.Errorf("%v", err)
	}
	if err := s.Update(t.Context(), token("first")); err != nil || !s.has(t, "first") {
		t.Errorf("the first: %v", err)
	}
}

// A read that fails makes its view fail, even if the closure ignores the error.
func TestAFailedReadIsNotTakenForNothing(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertToken("x", parley.Token{Agent: 1})
		s.writer.conn.exec("ALTER TABLE token RENAME TO elsewhere")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	err := s.View(t.Context(), func(tx *store.Tx) error {
		_, _ = tx.TokenByHash("x")
		return nil
	})
	if err == nil {
		t.Error("it passed for a token that is not there")
	}
}

// The copy of a database is as private as the database.
func TestACopyIsItsOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "parley.db")
	s := openStore(t, path)
	if err := s.Update(t.Context(), token("x")); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "copy.db")
	if _, err := Snapshot(t.Context(), path, into); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(into)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("it has mode %o", mode)
	}
}
