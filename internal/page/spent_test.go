package page

import (
	"testing"

	"parley"
	"parley/internal/reading"
)

// What home says was spent today is the sum of the lines below it, which begin at the
// visitor's midnight. What counts against the cap began at the hub's.
func TestCostTodayIsOfTheVisitorsDay(t *testing.T) {
	s := Spent{
		Cap: reading.Spending{Limit: parley.Budget{Money: 10 * parley.Dollar}, Spent: parley.Spending{Money: 7 * parley.Dollar}},
		Sum: Sum{Known: true, Cost: reading.Cost{Total: parley.Cost{Spent: parley.Spending{Money: 2 * parley.Dollar}}}},
	}
	if got := s.Figure(); got != "$2.00" && got != "$2" {
		t.Errorf("cost today is %s", got)
	}
	s.Known = false
	if got := s.Figure(); got != "" {
		t.Errorf("a sum that is not known is %s", got)
	}
}
