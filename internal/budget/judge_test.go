package budget

import (
	"testing"
	"time"

	"parley"
)

func TestJudge(t *testing.T) {
	tokens := func(in, out int64) parley.Spending { return parley.Spending{Input: in, Output: out} }
	call := Want{Tokens: 10, Money: 5}
	for _, c := range []struct {
		name  string
		limit parley.Budget
		used  used
		want  Want
		is    Verdict
		says  string
	}{
		{"nothing bounds it", parley.Budget{}, used{spent: tokens(1<<40, 0)}, call, Fits, ""},
		{"exactly what is left", parley.Budget{Tokens: 100}, used{spent: tokens(80, 10)}, call, Fits, ""},
		{"one token short", parley.Budget{Tokens: 99}, used{spent: tokens(80, 10)}, call, TreeSpent, "90 of 99 tokens; the next step may take up to 10 tokens"},
		{"nothing left", parley.Budget{Tokens: 90}, used{spent: tokens(80, 10)}, call, TreeSpent, "90 of 90 tokens"},
		{"overspent", parley.Budget{Tokens: 50}, used{spent: tokens(80, 10)}, call, TreeSpent, "90 of 50 tokens"},
		{"others have reserved it", parley.Budget{Tokens: 100}, used{spent: tokens(80, 0), reserved: parley.Reservation{Tokens: 11}}, call, Crowded, ""},
		{"others leave enough", parley.Budget{Tokens: 100}, used{spent: tokens(80, 0), reserved: parley.Reservation{Tokens: 10}}, call, Fits, ""},
		{"money", parley.Budget{Money: 4}, used{}, call, TreeSpent, "$0.00 of $0.000004; the next step may cost up to $0.000005"},
		{"money that others have reserved", parley.Budget{Money: 9}, used{reserved: parley.Reservation{Money: 5}}, call, Crowded, ""},
		{"a free model", parley.Budget{Money: 4}, used{spent: parley.Spending{Money: 4}}, Want{Tokens: 10}, Fits, ""},
		{"time left", parley.Budget{Time: time.Second}, used{spent: parley.Spending{Active: time.Second - 1}}, call, Fits, ""},
		{"no time left", parley.Budget{Time: time.Second}, used{spent: parley.Spending{Active: time.Second}}, call, TreeSpent, "1s of 1s"},
		{"a task more", parley.Budget{Tasks: 3}, used{tasks: 2}, Want{Tasks: 1}, Fits, ""},
		{"a task too many", parley.Budget{Tasks: 3}, used{tasks: 3}, Want{Tasks: 1}, TreeSpent, "3 of 3 tasks"},
		{"a call needs no task", parley.Budget{Tasks: 3}, used{tasks: 3}, call, Fits, ""},
		{"a task needs no tokens", parley.Budget{Tokens: 3, Time: 1}, used{spent: parley.Spending{Input: 3, Active: 1}}, Want{Tasks: 1}, Fits, ""},
		{"spent before crowded", parley.Budget{Tokens: 100, Money: 4}, used{spent: tokens(80, 0), reserved: parley.Reservation{Tokens: 90}}, call, TreeSpent,
			"80 of 100 tokens, $0.00 of $0.000004; the next step may cost up to $0.000005"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if is, says := judge(c.limit, c.used, c.want); is != c.is || says != c.says {
				t.Errorf("%d %q, want %d %q", is, says, c.is, c.says)
			}
		})
	}
}
