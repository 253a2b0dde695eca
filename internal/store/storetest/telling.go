package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"parley/internal/store"
)

func tellings(t *testing.T, open Open) {
	w := newWorld(t, open)
	ctx := context.Background()
	if err := w.View(ctx, func(tx *store.Tx) error { _, err := tx.Telling(w.team.ID, "a"); return err }); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("a target that has not begun: %v", err)
	}
	atOnce(t, 8, func(int) error {
		return w.Update(ctx, func(tx *store.Tx) error { tx.BeginTelling(w.team.ID, "a", "1.1"); return nil })
	})
	var took atomic.Int32
	atOnce(t, 8, func(int) error {
		mine := false
		err := w.Update(ctx, func(tx *store.Tx) error {
			got, err := tx.LockTelling(w.team.ID, "a")
			if mine = got.LeaseUntil == 0; err != nil || !mine {
				return err
			}
			got.Cursor, got.Event, got.Told, got.Tries, got.Due, got.Holder, got.LeaseUntil = "1.2", 8, w.bob.ID, 3, 4, "hub", 5
			got.Problem, got.GivenUp, got.GivenUpAt, got.Refusals = "no answer", 6, 7, 9
			tx.UpdateTelling(got)
			return nil
		})
		if mine {
			took.Add(1)
		}
		return err
	})
	if n := took.Load(); n != 1 {
		t.Errorf("%d took the lease", n)
	}
	err := w.Update(ctx, func(tx *store.Tx) error {
		tx.BeginTelling(w.team.ID, "a", "9.9") // it has begun before
		tx.BeginTelling(w.team.ID+1, "a", "1.1")
		tx.BeginTelling(w.team.ID, "b", "1.1")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := store.Telling{Team: w.team.ID, Target: "a", Cursor: "1.2", Event: 8, Told: w.bob.ID, Tries: 3, Due: 4, Holder: "hub", LeaseUntil: 5,
		Problem: "no answer", GivenUp: 6, GivenUpAt: 7, Refusals: 9}
	err = w.View(ctx, func(tx *store.Tx) error {
		got, err := tx.Telling(w.team.ID, "a")
		if got != want {
			t.Errorf("stored %+v, read %+v", want, got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
