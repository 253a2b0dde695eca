package postgres

import (
	"testing"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

func TestSmoke(t *testing.T) {
	s, err := Open(t.Context(), pgtest.DSN(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Log(s.Describe())
	team := parley.Team{Name: "main"}
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.TeamByName("main"); err != store.ErrNotFound {
			t.Errorf("%v", err)
		}
		tx.InsertTeam(&team)
		tx.Record(parley.Event{Team: team.ID, Kind: parley.EventAgent})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(tx *store.Tx) error {
		got, err := tx.TeamByName("main")
		if err != nil {
			return err
		}
		list, next, err := tx.Events(got.ID, "", 10)
		t.Log(got, list, next)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
