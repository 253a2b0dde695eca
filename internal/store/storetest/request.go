package storetest

import (
	"context"
	"sync/atomic"
	"testing"

	"parley/internal/store"
)

func requestKey(t *testing.T, open Open) {
	w := newWorld(t, open)
	var carriedOut atomic.Int32
	ask := func(about string) (found store.Request, err error) {
		err = w.Update(context.Background(), func(tx *store.Tx) error {
			first, r, err := tx.TakeKey(store.Request{Agent: w.ann.ID, Key: "k", About: about})
			if found = r; err != nil || !first {
				return err
			}
			carriedOut.Add(1)
			tx.SetMade(w.ann.ID, "k", 7)
			return nil
		})
		return found, err
	}
	failed := w.Update(context.Background(), func(tx *store.Tx) error {
		first, _, err := tx.TakeKey(store.Request{Agent: w.ann.ID, Key: "k", About: "this"})
		if !first || err != nil {
			t.Errorf("a new key: %v, %v", first, err)
		}
		return errUndo
	})
	if failed != errUndo {
		t.Error(failed)
	}
	atOnce(t, 16, func(int) error { _, err := ask("this"); return err })
	if n := carriedOut.Load(); n != 1 {
		t.Errorf("carried out %d times", n)
	}
	if found, err := ask("that"); err != nil || found.About != "this" || found.Made != 7 {
		t.Errorf("%+v, %v", found, err)
	}
	w.update(func(tx *store.Tx) error { tx.FreeKey(w.ann.ID, "k"); return nil })
	if found, err := ask("this"); err != nil || found.Made != 7 {
		t.Errorf("one that has made something was given up: %+v, %v", found, err)
	}
	for range 2 { // the second after it was given up
		w.update(func(tx *store.Tx) error {
			first, _, err := tx.TakeKey(store.Request{Agent: w.bob.ID, Key: "k"})
			if !first {
				t.Error("another caller's key is taken")
			}
			return err
		})
		w.update(func(tx *store.Tx) error { tx.FreeKey(w.bob.ID, "k"); return nil })
	}
}
