package contact_test

import (
	"testing"

	"parley"
	"parley/internal/store"
)

// What is added to the budget of the day adds up.
func TestTheBudgetOfTheDayIsRaisedTwice(t *testing.T) {
	d := newDesk(t, member{name: "Pat", kind: parley.Person, limits: func(l *parley.Limits) { l.Daily = parley.Budget{Tokens: 10, Money: parley.Dollar} }}, "Ann")
	for range 2 {
		d.must(d.RaiseToday(d.Context(), d.as("Pat"), parley.Budget{Tokens: 5, Money: 3}))
	}
	d.store.See(func(tx *store.Tx) error {
		day, err := tx.Today(d.team)
		d.equal("extra", []any{int64(10), parley.Money(6)}, []any{day.Extra.Tokens, day.Extra.Money})
		return err
	})
	d.refused("Only people may raise a budget.", func() error { return d.RaiseToday(d.Context(), d.as("Ann"), parley.Budget{Tokens: 5}) })
}
