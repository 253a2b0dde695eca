package config

import (
	"time"

	"parley"
	"parley/internal/yamlfile"
)

// teamLimitKeys are an agent's limits, and those that only a team can have.
func teamLimitKeys(o *overlay) []yamlfile.Key {
	return append(limitKeys(o),
		yamlfile.Key{Name: "daily", Read: o.budget(func(l *parley.Limits) *parley.Budget { return &l.Daily }, dailyKeys)})
}

// budgetKeys are the bounds of a task tree.
func budgetKeys(b *parley.Budget) []yamlfile.Key {
	return append(dailyKeys(b),
		yamlfile.Key{Name: "tasks", Read: tasksInto(&b.Tasks)},
		yamlfile.Key{Name: "time", Read: spanInto(&b.Time, time.Second, 365*day)})
}

// dailyKeys are the bounds of a team's day.
func dailyKeys(b *parley.Budget) []yamlfile.Key {
	return []yamlfile.Key{
		{Name: "tokens", Read: tokensInto(&b.Tokens)},
		{Name: "money", Read: moneyInto(&b.Money)},
	}
}

// budget reads bounds, each of which replaces the team's.
func (o *overlay) budget(field func(*parley.Limits) *parley.Budget, keys func(*parley.Budget) []yamlfile.Key) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var b parley.Budget
		_, found := v.Fields(keys(&b))
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = b.Over(*field(l)) })
		}
		return found
	}
}

func tokensInto(dst *int64) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		n, ok := parley.ParseTokens(s)
		if !ok || n < 1 {
			return v.Wrong("Expected a number of tokens, like 50000, 200k or 2M, not %q.", s)
		}
		*dst = n
		return nil
	}
}

func moneyInto(dst *parley.Money) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		m, ok := parley.ParseMoney(s)
		if !ok || m < 1 {
			return v.Wrong("Expected an amount of US dollars, like 2.50, not %q.", s)
		}
		*dst = m
		return nil
	}
}

func tasksInto(dst *int64) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		n, found := v.Integer(1, 1_000_000)
		*dst = int64(n)
		return found
	}
}
