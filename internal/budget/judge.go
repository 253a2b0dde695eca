package budget

import (
	"fmt"
	"strings"
	"time"

	"parley"
)

// Want is what is about to be spent, by a model call or by a new task.
type Want struct {
	Tokens int64
	Money  parley.Money
	Tasks  int64
}

// call reports whether this is a model call, which takes time too.
func (w Want) call() bool { return w.Tasks == 0 }

// Verdict says whether something may be spent.
type Verdict int

const (
	Fits Verdict = iota
	// Crowded: it would fit if others did not need what they have reserved.
	Crowded
	// DaySpent: the team's budget for the day does not allow it.
	DaySpent
	// TreeSpent: the tree's budget does not allow it.
	TreeSpent
)

// used is what already counts against a budget.
type used struct {
	spent    parley.Spending
	tasks    int64
	reserved parley.Reservation // by others
}

// judge compares a want with a budget. The reservations of others alone never make a
// budget spent, since they may need less.
func judge(limit parley.Budget, u used, w Want) (v Verdict, what string) {
	for _, b := range []struct{ limit, spent, reserved, want int64 }{
		{limit.Tokens, u.spent.Tokens(), u.reserved.Tokens, w.Tokens},
		{int64(limit.Money), int64(u.spent.Money), int64(u.reserved.Money), int64(w.Money)},
		{limit.Tasks, u.tasks, 0, w.Tasks},
	} {
		switch {
		case b.limit == 0:
		case b.spent+b.want > b.limit || w.call() && b.spent >= b.limit && b.want > 0:
			return TreeSpent, Usage(limit, u.spent, u.tasks) + upTo(limit, u, w)
		case b.spent+b.reserved+b.want > b.limit:
			v = Crowded
		}
	}
	if w.call() && limit.Time > 0 && u.spent.Active >= limit.Time {
		return TreeSpent, Usage(limit, u.spent, u.tasks)
	}
	return v, ""
}

// upTo explains why something is left but cannot be used.
func upTo(limit parley.Budget, u used, w Want) string {
	switch {
	case limit.Tokens > 0 && u.spent.Tokens() < limit.Tokens && u.spent.Tokens()+w.Tokens > limit.Tokens:
		return fmt.Sprintf("; the next step may take up to %d tokens", w.Tokens)
	case limit.Money > 0 && u.spent.Money < limit.Money && u.spent.Money+w.Money > limit.Money:
		return fmt.Sprintf("; the next step may cost up to %s", w.Money)
	}
	return ""
}

// Usage says how much of each limit is spent, such as "50000 of 50000 tokens".
func Usage(limit parley.Budget, s parley.Spending, tasks int64) string {
	var parts []string
	if limit.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tokens", s.Tokens(), limit.Tokens))
	}
	if limit.Money > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", s.Money, limit.Money))
	}
	if limit.Tasks > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tasks", tasks, limit.Tasks))
	}
	if limit.Time > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", s.Active.Round(time.Millisecond), limit.Time))
	}
	return strings.Join(parts, ", ")
}
