package parley

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Money is an amount in millionths of a US dollar.
type Money int64

// Dollar is the unit that people read and write.
const Dollar Money = 1_000_000

// ParseMoney reads 2.50 or $2.50, with at most six digits after the point.
func ParseMoney(s string) (Money, bool) {
	whole, part, _ := strings.Cut(strings.TrimPrefix(s, "$"), ".")
	if len(part) > 6 {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+part+strings.Repeat("0", 6-len(part)), 10, 53)
	return Money(n), err == nil && whole != ""
}

// String writes two digits after the point, or more if the amount needs them.
func (m Money) String() string {
	if cent := Dollar / 100; m%cent == 0 {
		return fmt.Sprintf("$%d.%02d", m/Dollar, m%Dollar/cent)
	}
	return strings.TrimRight(fmt.Sprintf("$%d.%06d", m/Dollar, m%Dollar), "0")
}

// ParseTokens reads 50000, 200k or 2M.
func ParseTokens(s string) (int64, bool) {
	unit := uint64(1)
	switch {
	case strings.HasSuffix(s, "k"):
		unit = 1000
	case strings.HasSuffix(s, "M"):
		unit = 1_000_000
	}
	if unit > 1 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseUint(s, 10, 40) // times a million it still fits
	return int64(n * unit), err == nil
}

// Budget bounds what a task tree may spend, or a team in a day. Zero means no
// bound.
type Budget struct {
	Tokens int64
	Money  Money
	Tasks  int64
	Time   time.Duration // spent by running turns
}

// The largest bounds, which the document of the API names too.
const (
	maxTokens int64 = 1e15
	maxMoney        = 1e9 * Dollar
	maxTasks  int64 = 1e9
	maxTime         = 100 * 365 * 24 * time.Hour
)

// Set reports whether the budget bounds anything.
func (b Budget) Set() bool { return b != Budget{} }

// Over returns base, with each bound that b sets in place of its own.
func (b Budget) Over(base Budget) Budget {
	if b.Tokens > 0 {
		base.Tokens = b.Tokens
	}
	if b.Money > 0 {
		base.Money = b.Money
	}
	if b.Tasks > 0 {
		base.Tasks = b.Tasks
	}
	if b.Time > 0 {
		base.Time = b.Time
	}
	return base
}

// Raise adds to the bounds that are set. It refuses to add to one that is not:
// that would set a bound where there was none, and whoever adds means the
// opposite.
func (b Budget) Raise(by Budget) (Budget, error) {
	for _, c := range []struct {
		what      string
		has, adds bool
	}{
		{"tokens", b.Tokens > 0, by.Tokens > 0},
		{"money", b.Money > 0, by.Money > 0},
		{"tasks", b.Tasks > 0, by.Tasks > 0},
		{"time", b.Time > 0, by.Time > 0},
	} {
		if c.adds && !c.has {
			return b, Errorf(Conflict, "The budget does not bound %s, so there is nothing to raise.", c.what)
		}
	}
	return b.Add(by)
}

// Add adds to all bounds, also to those that are not set: they begin at nothing.
func (b Budget) Add(by Budget) (Budget, error) {
	if over(b.Tokens, by.Tokens, maxTokens) || over(b.Money, by.Money, maxMoney) ||
		over(b.Tasks, by.Tasks, maxTasks) || over(b.Time, by.Time, maxTime) {
		return b, Errorf(Conflict, "The budget would be too large.")
	}
	return Budget{Tokens: b.Tokens + by.Tokens, Money: b.Money + by.Money, Tasks: b.Tasks + by.Tasks, Time: b.Time + by.Time}, nil
}

// enough writes what to add to a budget that lacks so much: round figures, and not so
// little that the tree waits again at once.
func (b Budget) enough() string {
	var parts []string
	if b.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("tokens=%d", max(2000, roundUp(b.Tokens, 1000))))
	}
	if b.Money > 0 {
		money := max(Dollar, Money(roundUp(int64(b.Money), int64(Dollar/100))))
		parts = append(parts, "money="+strings.TrimSuffix(strings.TrimPrefix(money.String(), "$"), ".00"))
	}
	if b.Tasks > 0 {
		parts = append(parts, fmt.Sprintf("tasks=%d", max(5, b.Tasks)))
	}
	if b.Time > 0 || parts == nil {
		const pause = 10 * time.Minute
		parts = append(parts, fmt.Sprintf("time=%dm", max(pause, b.Time.Truncate(pause)+pause)/time.Minute))
	}
	return strings.Join(parts, ",")
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// over reports whether adding to a bound makes it larger than any may be.
func over[T ~int64](has, more, most T) bool { return more > 0 && has > most-more }

// String writes the form that ParseBudget reads.
func (b Budget) String() string {
	var parts []string
	if b.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("tokens=%d", b.Tokens))
	}
	if b.Money > 0 {
		parts = append(parts, "money="+strings.TrimPrefix(b.Money.String(), "$"))
	}
	if b.Tasks > 0 {
		parts = append(parts, fmt.Sprintf("tasks=%d", b.Tasks))
	}
	if b.Time > 0 {
		parts = append(parts, "time="+b.Time.String())
	}
	return strings.Join(parts, ",")
}

// ParseBudget reads tokens=50000,money=1.5,tasks=10,time=30m, or any part of it. An
// amount alone is money if it is written like 2.50 or $2, and tokens if like 200k or 2M.
func ParseBudget(s string) (b Budget, err error) {
	if b, ok := parseAmount(strings.TrimSpace(s)); ok {
		return b, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		ok := false
		switch name {
		case "tokens":
			b.Tokens, ok = ParseTokens(value)
			ok = ok && b.Tokens > 0
		case "money":
			b.Money, ok = ParseMoney(value)
			ok = ok && b.Money > 0
		case "tasks":
			b.Tasks, err = strconv.ParseInt(value, 10, 32)
			ok = err == nil && b.Tasks > 0
		case "time":
			b.Time, err = time.ParseDuration(value)
			ok = err == nil && b.Time > 0
		}
		if !ok {
			return Budget{}, Errorf(Invalid, "%q is not part of a budget.", Clip(part, 64)).
				WithHint("Write one like tokens=50000,money=1.50,tasks=10,time=30m, with any of the four, or only 2.50 for dollars or 200k for tokens.")
		}
	}
	return b, nil
}

// parseAmount reads an amount that shows by itself what it is of. A bare number could be
// either.
func parseAmount(s string) (b Budget, ok bool) {
	switch {
	case strings.HasPrefix(s, "$") || strings.Contains(s, ".") && !strings.Contains(s, "="):
		b.Money, ok = ParseMoney(s)
	case strings.HasSuffix(s, "k") || strings.HasSuffix(s, "M"):
		b.Tokens, ok = ParseTokens(s)
	}
	return b, ok && b.Set()
}

// Spending is what was spent.
type Spending struct {
	Input, Output int64 // tokens
	Money         Money
	Active        time.Duration
}

// Tokens is the sum that a budget bounds.
func (s Spending) Tokens() int64 { return s.Input + s.Output }

func (s Spending) Plus(more Spending) Spending {
	return Spending{Input: s.Input + more.Input, Output: s.Output + more.Output, Money: s.Money + more.Money, Active: s.Active + more.Active}
}

// TreeBudget is what a tree of tasks may spend and what it has spent.
type TreeBudget struct {
	Root  TaskID
	Team  TeamID
	Limit Budget
	Spent Spending
	Tasks int64
	Told  bool // somebody was told that it is spent, since it was last raised
}

// DayBudget is what a team with a daily cap has spent on one day.
type DayBudget struct {
	Team  TeamID
	Day   int64  // as Micros.Day counts
	Extra Budget // on top of what the files allow
	Spent Spending
	Told  bool // somebody was told that it is spent, since it was last raised
}

// Day is the number of the day since 1970, in UTC.
func (m Micros) Day() int64 { return int64(m) / (24 * time.Hour).Microseconds() }

// NextDay is the beginning of the next day, in UTC.
func (m Micros) NextDay() Micros { return Micros((m.Day() + 1) * (24 * time.Hour).Microseconds()) }

// Reservation is the most that a model call of a running task may spend. It
// counts as long as the task runs under the same lease.
type Reservation struct {
	Task   TaskID
	Root   TaskID // whose budget pays; 0 if only the team's does
	Team   TeamID
	Token  int64
	Turn   int
	Step   int
	Tokens int64
	Money  Money
}

// BudgetSpent refuses what would exceed the budget of a tree. A turn waits until
// the budget is raised; for anyone else it is a plain refusal.
type BudgetSpent struct {
	Root  TaskID
	What  string // such as 10 of 10 tasks
	More  Budget // what is lacking
	Tasks int64  // how many more were wanted
}

func (e *BudgetSpent) Error() string { return e.public().Error() }

// Unwrap makes it an Error with a kind.
func (e *BudgetSpent) Unwrap() error { return e.public() }

func (e *BudgetSpent) public() *Error {
	return Errorf(Limited, "The budget of %s is spent (%s).", e.Root, e.What).WithRule("budget").
		WithHint("%s", raiseHint(e.Root, e.More))
}

// IsBudgetSpent reports whether raising a budget would lift the refusal.
func IsBudgetSpent(err error) bool {
	_, ok := AsBudgetSpent(err)
	return ok
}

// AsBudgetSpent finds the BudgetSpent in an error.
func AsBudgetSpent(err error) (spent *BudgetSpent, ok bool) {
	ok = errors.As(err, &spent)
	return spent, ok
}

// BudgetGiven says that the tree of a task was given a budget after whoever acts for it
// had begun. It is tried again, with the lock of the budget.
type BudgetGiven struct{ Root TaskID }

func (e *BudgetGiven) Error() string { return e.public().Error() }

// Unwrap makes it an Error with a kind.
func (e *BudgetGiven) Unwrap() error { return e.public() }

func (e *BudgetGiven) public() *Error {
	return Errorf(Conflict, "The tree of %s was given a budget at this very moment.", e.Root).WithHint("Try again.")
}

// AsBudgetGiven finds the BudgetGiven in an error.
func AsBudgetGiven(err error) (given *BudgetGiven, ok bool) {
	ok = errors.As(err, &given)
	return given, ok
}
