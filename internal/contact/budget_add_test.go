package contact_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
)

// What two people add to the budget of a tree adds up, whoever saw it before, and sets
// the bounds that it had not.
func TestWhatIsAddedToABudgetAddsUp(t *testing.T) {
	d := newDesk(t, member{name: "Pat", kind: parley.Person}, member{name: "Kim", kind: parley.Person}, "Ann")
	id := d.contact(d.as("Pat"), parley.Delegate, "Ann").Task.ID
	pat, kim := d.as("Pat"), d.as("Kim")
	pat.Key = "once"
	for _, step := range []struct {
		name string
		by   parley.Budget
		want parley.Budget
	}{
		{"the first bound", parley.Budget{Tokens: 100}, parley.Budget{Tokens: 100}},
		{"the same again", parley.Budget{Tokens: 100}, parley.Budget{Tokens: 100}},
	} {
		limit, err := d.AddBudget(d.Context(), pat, id, step.by)
		d.must(err)
		d.equal(step.name, step.want, limit)
	}
	limit, err := d.AddBudget(d.Context(), kim, id, parley.Budget{Tokens: 50, Money: 3})
	d.must(err)
	d.equal("of another person", parley.Budget{Tokens: 150, Money: 3}, limit)
	_, err = d.AddBudget(d.Context(), kim, id, parley.Budget{Tokens: 1 << 62})
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(parley.Public(err), "too large") {
		t.Errorf("far too much: %v", err)
	}
	d.refused("Only people may raise a budget.", func() error {
		_, err := d.AddBudget(d.Context(), d.as("Ann"), id, parley.Budget{Tokens: 5})
		return err
	})
	d.store.See(func(tx *store.Tx) error {
		b, err := tx.Budget(id)
		d.equal("stored", parley.Budget{Tokens: 150, Money: 3}, b.Limit)
		return err
	})
}
