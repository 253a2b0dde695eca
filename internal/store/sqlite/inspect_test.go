package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
)

func TestInspectChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	h, err := Inspect(path)
	if err != nil || h.Exists || h.Known == 0 {
		t.Errorf("before the first hub: %+v, %v", h, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the look made a file: %v", err)
	}

	path = filled(t)
	h, err = Inspect(path)
	if err != nil || !h.Exists || h.Schema != h.Known || h.Newest != 0 {
		t.Errorf("without events: %+v, %v", h, err)
	}
	s := openStore(t, path)
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		tx.Record(parley.Event{Team: 1, Kind: parley.EventAgent})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if h, err = Inspect(path); err != nil || h.Newest == 0 {
		t.Errorf("with an event: %+v, %v", h, err)
	}

	query(t, path, "PRAGMA user_version = 999")
	if _, err := Inspect(path); err == nil || !strings.Contains(err.Error(), "newer parley (schema 999") {
		t.Errorf("a newer schema: %v", err)
	}
}

func TestInspectFindsDamage(t *testing.T) {
	path := filled(t)
	page := pageOf(t, path, "task")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xAA}, 4096), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(path); parley.KindOf(err) != parley.Internal || !strings.Contains(fmt.Sprint(err), "damaged") {
		t.Error(err)
	}
}
