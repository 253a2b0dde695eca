package view

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"parley"
	"parley/api"
)

// Spending shows what a tree or a team has spent, and what it may spend.
func (s Screen) Spending(sp api.Spending) string {
	f := facts{elastic: 1, least: 10}
	f.add("tree", sp.Root)
	f.spent(sp)
	if sp.Budget == nil {
		f.add("budget", noBudget(sp))
	}
	if sp.Waiting > 0 {
		f.add("waiting", Plural(sp.Waiting, "task"))
	}
	return table(f).text(s)
}

// noBudget says that nothing bounds it, and how to change that for a team.
func noBudget(sp api.Spending) string {
	if sp.Root == "" {
		return "none; limits: daily in parley.yaml sets one"
	}
	return "none"
}

// spent adds the known amounts, each with its bound if it has one.
func (f *facts) spent(sp api.Spending) {
	limit := api.Budget{}
	if sp.Budget != nil {
		limit = *sp.Budget
	}
	tokens := fmt.Sprintf("%d (%d in, %d out)", sp.Input+sp.Output, sp.Input, sp.Output)
	f.add("tokens", bounded(tokens, limit.Tokens > 0, fmt.Sprint(limit.Tokens)))
	f.add("money", bounded(Dollars(sp.Money), limit.Money > 0, Dollars(limit.Money)))
	if sp.Tasks > 0 {
		f.add("tasks", bounded(fmt.Sprint(sp.Tasks), limit.Tasks > 0, fmt.Sprint(limit.Tasks)))
	}
	f.add("active", bounded(seconds(sp.Active), limit.Seconds > 0, seconds(limit.Seconds)))
}

func bounded(text string, is bool, limit string) string {
	if !is {
		return text
	}
	return text + " of " + limit
}

// Dollars is an amount of money as people read it.
func Dollars(amount float64) string {
	return parley.Money(math.Round(amount * float64(parley.Dollar))).String()
}

// AtMost is a bound of an amount of money: whole cents, or two digits of what is less,
// rounded up.
func AtMost(amount float64) string {
	unit := 0.01
	for amount > 0 && amount <= 10*unit && unit > 2e-6 {
		unit /= 10
	}
	return Dollars(math.Ceil(amount/unit-1e-6) * unit)
}

// Thousands is a number as short as it can be said.
func Thousands(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

func seconds(n float64) string { return Duration(time.Duration(n * float64(time.Second))) }

// WaitsFor says which budget, tasks or decision a task waits for.
func WaitsFor(t api.Task) string {
	what, spent, _ := strings.Cut(t.WaitsFor, ": ")
	if what == "provider" && t.Waiting != "" {
		return t.Waiting
	}
	text := "waits for budget"
	if what == "approval" || what == "dependency" {
		return "waits for " + cmp.Or(spent, what)
	}
	if what == "day" {
		text = "waits for tomorrow, since the team's budget of the day is spent"
	}
	if spent != "" {
		text += ": " + spent
	}
	return text
}

// SpentToday is what a team has spent on this day, in a few words.
func (s Screen) SpentToday(sp api.Spending) string {
	text := Dollars(sp.Money) + ", " + Thousands(sp.Input+sp.Output) + " tokens"
	if sp.Budget == nil {
		return text
	}
	return text + " (" + sp.Usage + ")"
}
