package postgres

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

func TestInspectChangesNothing(t *testing.T) {
	dsn := pgtest.DSN(t)
	h, err := Inspect(t.Context(), dsn)
	if err != nil || h.Exists || h.Known == 0 {
		t.Errorf("before the first hub: %+v, %v", h, err)
	}
	if h, err = Inspect(t.Context(), dsn); err != nil || h.Exists {
		t.Errorf("the look made a schema: %+v, %v", h, err)
	}

	s := open(t, dsn, Options{})
	if h, err = Inspect(t.Context(), dsn); err != nil || !h.Exists || h.Schema != h.Known || h.Newest != 0 {
		t.Errorf("without events: %+v, %v", h, err)
	}
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		tx.Record(parley.Event{Team: 1, Kind: parley.EventAgent})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if h, err = Inspect(t.Context(), dsn); err != nil || h.Newest == 0 {
		t.Errorf("with an event: %+v, %v", h, err)
	}

	exec(t, connect(t, dsn), `INSERT INTO parley.migration (version, name) VALUES (999, 'from the future')`)
	if _, err := Inspect(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), "newer parley (schema 999") {
		t.Errorf("a newer schema: %v", err)
	}
}

func TestInspectOfAServerThatIsNotThere(t *testing.T) {
	_, err := Inspect(t.Context(), "postgres://ada:secret@127.0.0.1:1/parley?connect_timeout=1")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}
