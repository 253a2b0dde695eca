package config

import (
	"time"

	"parley"
)

// teamLimitKeys are those of an agent, and what only a team can have.
func teamLimitKeys(o *overlay) []key {
	return append(limitKeys(o),
		key{name: "daily", read: o.budget(func(l *parley.Limits) *parley.Budget { return &l.Daily }, dailyKeys)})
}

// budgetKeys are the bounds of a task tree.
func budgetKeys(b *parley.Budget) []key {
	return append(dailyKeys(b),
		key{name: "tasks", read: tasksInto(&b.Tasks)},
		key{name: "time", read: spanInto(&b.Time, time.Second, 365*day)})
}

// dailyKeys are the bounds of a team's day.
func dailyKeys(b *parley.Budget) []key {
	return []key{
		{name: "tokens", read: tokensInto(&b.Tokens)},
		{name: "money", read: moneyInto(&b.Money)},
	}
}

// budget reads bounds, each of which replaces the team's.
func (o *overlay) budget(field func(*parley.Limits) *parley.Budget, keys func(*parley.Budget) []key) func(value) []mistake {
	return func(v value) []mistake {
		var b parley.Budget
		_, found := v.fields(keys(&b))
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = b.Over(*field(l)) })
		}
		return found
	}
}

func tokensInto(dst *int64) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		if found != nil {
			return found
		}
		n, ok := parley.ParseTokens(s)
		if !ok || n < 1 {
			return v.wrong("Expected a number of tokens, like 50000, 200k or 2M, not %q.", s)
		}
		*dst = n
		return nil
	}
}

func moneyInto(dst *parley.Money) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		if found != nil {
			return found
		}
		m, ok := parley.ParseMoney(s)
		if !ok || m < 1 {
			return v.wrong("Expected an amount of US dollars, like 2.50, not %q.", s)
		}
		*dst = m
		return nil
	}
}

func tasksInto(dst *int64) func(value) []mistake {
	return func(v value) []mistake {
		n, found := v.integer(1, 1_000_000)
		*dst = int64(n)
		return found
	}
}
