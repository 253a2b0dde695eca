package reading_test

import (
	"testing"

	"parley"
	"parley/internal/reading"
	"parley/internal/store"
)

func TestARateSaysWhatIsLeft(t *testing.T) {
	w := newTeam(t)
	full, err := w.read.Rate(t.Context(), w.as("Ada"), "joiner")
	if err != nil || full.Burst != 20 || full.Left != 20 || full.PerMinute != 10 {
		t.Fatalf("%+v, %v", full, err)
	}
	limits := w.hub.Directory.Limits(w.as("Joiner").Agent)
	err = w.store.Update(t.Context(), func(tx *store.Tx) error {
		tx.SetRate(w.as("Joiner").Agent, parley.Rate{At: tx.Steady.Add(limits.Interval()), Debt: 3 * limits.Interval()})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := w.read.Rate(t.Context(), w.as("Joiner"), "Joiner"); err != nil || got.Left != 17 || got.Full == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.read.Rate(t.Context(), w.as("Other"), "Joiner"); parley.KindOf(err) != parley.Denied {
		t.Error(err)
	}
	if _, err := w.read.CostOf(t.Context(), w.as("Other"), "Joiner", reading.CostQuery{Limit: 1}); parley.KindOf(err) != parley.Denied {
		t.Error(err)
	}
	if _, err := w.read.CostOf(t.Context(), w.as("Ada"), "Joiner", reading.CostQuery{By: parley.CostByModel, Limit: 1}); err != nil {
		t.Error(err)
	}
	if _, err := w.hub.Tools.Instructions(t.Context(), w.as("Joiner"), "Joiner"); parley.KindOf(err) != parley.Denied {
		t.Error(err)
	}
	if text, err := w.hub.Tools.Instructions(t.Context(), w.as("Ada"), "Joiner"); text != "" || err != nil {
		t.Error(text, err)
	}
}
