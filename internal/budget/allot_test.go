package budget

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley"
)

func drawBudget(t *rapid.T, name string) (b parley.Budget) {
	b.Tokens = rapid.SampledFrom([]int64{0, 1, 100, 5000, 20_000, 1_000_000}).Draw(t, name+" tokens")
	b.Money = parley.Money(rapid.SampledFrom([]int64{0, 1, 5000, 100_000, 5_000_000}).Draw(t, name+" money"))
	return b
}

func drawUsed(t *rapid.T, name string) used {
	n := func(what string) int64 { return rapid.Int64Range(0, 30_000).Draw(t, name+" "+what) }
	return used{spent: parley.Spending{Input: n("input"), Output: n("output"), Money: parley.Money(n("money"))},
		reserved: parley.Reservation{Tokens: n("reserved tokens"), Money: parley.Money(n("reserved money"))}}
}

func drawCall(t *rapid.T) Call {
	c := Call{
		Input: rapid.Int64Range(0, 20_000).Draw(t, "input"),
		Usual: max(4096, 2*rapid.Int64Range(0, 8000).Draw(t, "longest reply")),
		Most:  rapid.SampledFrom([]int64{0, 10, 4096, 8192, 32_000}).Draw(t, "most"),
		Firm:  rapid.Bool().Draw(t, "firm"),
	}
	if rapid.Bool().Draw(t, "costs money") {
		c.Price = rapid.SampledFrom([]float64{0.1, 1.25, 15, 75}).Draw(t, "price")
		c.InputCost = parley.Money(c.Price * float64(c.Input) / 5)
	}
	if c.Firm { // it names one sum
		c.Price = 0
	} else if rapid.Bool().Draw(t, "cut") {
		c.Cut = rapid.Int64Range(1, 8192).Draw(t, "cut at")
	}
	return c
}

func over(limit parley.Budget, u used, w Want) bool {
	return limit.Tokens > 0 && u.spent.Tokens()+u.reserved.Tokens+w.Tokens > limit.Tokens ||
		limit.Money > 0 && w.Money > 0 && u.spent.Money+u.reserved.Money+w.Money > limit.Money
}

// What is allotted fits into both budgets, beside what others have reserved.
func TestWhatIsAllottedFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, day, c := drawBudget(t, "tree"), drawBudget(t, "day"), drawCall(t)
		inTree, today := drawUsed(t, "tree"), drawUsed(t, "day")
		v, output := allot(tree, day, inTree, today, c)
		switch {
		case v != Fits:
			if output != 0 {
				t.Fatalf("%d tokens though the verdict is %d", output, v)
			}
			return
		case output == 0:
			free, _ := room(tree, inTree, c)
			freeToday, _ := room(day, today, c)
			if min(free, freeToday) < endless && c.wanted() > 0 {
				t.Fatal("no limit though there is a bound")
			}
			return
		}
		if output > c.wanted() || output < c.least() {
			t.Fatalf("%d tokens; wanted are %d, at least %d", output, c.wanted(), c.least())
		}
		if w := c.want(output); over(tree, inTree, w) || over(day, today, w) {
			t.Fatalf("%+v does not fit", w)
		}
	})
}

// A call is put off only if what is left is too little, and by others only for as long
// as they have reserved it.
func TestNothingIsStuckThatIsPaidFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, day, c := drawBudget(t, "tree"), drawBudget(t, "day"), drawCall(t)
		inTree, today := drawUsed(t, "tree"), drawUsed(t, "day")
		alone, aloneToday := used{spent: inTree.spent}, used{spent: today.spent}
		least := c.want(c.least())
		spent, daySpent := over(tree, alone, least), over(day, aloneToday, least)
		v, _ := allot(tree, day, inTree, today, c)
		without, _ := allot(tree, day, alone, aloneToday, c)
		switch {
		case v == Crowded && without != Fits:
			t.Fatalf("crowded, but alone it is %d", without)
		case spent != (v == TreeSpent):
			t.Fatalf("%d; the tree is spent: %v", v, spent)
		case !spent && daySpent != (v == DaySpent):
			t.Fatalf("%d; the day is spent: %v", v, daySpent)
		}
	})
}

// added is the budget with what the hint says.
func added(t *rapid.T, limit parley.Budget, more parley.Budget) parley.Budget {
	_, hint, _ := strings.Cut(parley.BudgetSpentText(1, "", more), "--add ")
	by, err := parley.ParseBudget(hint)
	if err != nil {
		t.Fatal(err)
	}
	if limit, err = limit.Raise(by); err != nil {
		t.Fatal(err)
	}
	return limit
}

// Whatever is lacking, adding what the hint says is enough for the next step.
func TestTheHintIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, c, u := drawBudget(t, "tree"), drawCall(t), drawUsed(t, "tree")
		u.reserved = parley.Reservation{}
		if rapid.Bool().Draw(t, "time") {
			tree.Time, u.spent.Active = time.Minute, time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "active"))
		}
		v, _ := allot(tree, parley.Budget{}, u, used{}, c)
		if v == Fits {
			return
		}
		tree = added(t, tree, lacks(tree, u, c.want(c.promising())))
		if v, output := allot(tree, parley.Budget{}, u, used{}, c); v != Fits || output > 0 && output < c.promising() {
			t.Fatalf("%d with %d tokens, want %d", v, output, c.promising())
		}
	})
}

// A reply of any length comes in the end, if people add what they are told; and never
// is more spent than there is but for what the estimate of one request was wrong by.
func TestAReplyComesInTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCall(t)
		c.Cut, c.Firm = 0, false
		limit := parley.Budget{Tokens: rapid.Int64Range(1, 40_000).Draw(t, "tokens")}
		if c.Price > 0 {
			limit.Money = parley.Money(rapid.Int64Range(1, 1_000_000).Draw(t, "money"))
		}
		reply := c.longest(rapid.Int64Range(1, 60_000).Draw(t, "reply"))
		wrong := rapid.Int64Range(-c.Input, 500).Draw(t, "error of the estimate")
		var u used
		for asked, raised := 0, 0; ; {
			v, output := allot(limit, parley.Budget{}, u, used{}, c)
			if v != Fits {
				if raised++; raised > 25 {
					t.Fatal("it was raised 25 times")
				}
				limit = added(t, limit, lacks(limit, u, c.want(c.promising())))
				continue
			}
			if asked++; asked > 25 {
				t.Fatal("it was asked 25 times")
			}
			said := min(reply, output)
			u.spent = u.spent.Plus(parley.Spending{Input: c.Input + wrong, Output: said, Money: c.want(said).Money})
			if u.spent.Tokens() > limit.Tokens+max(wrong, 0) || limit.Money > 0 && u.spent.Money > limit.Money {
				t.Fatalf("spent %+v of %+v", u.spent, limit)
			}
			if said == reply {
				return
			}
			c.Cut = output
		}
	})
}
