// Package policy decides. Its functions are pure: they take plain values and say yes,
// or no with the error that the caller reads. Others read and store those values. So
// every rule is in one place and can be tested as a table.
package policy

import (
	"time"

	"parley"
)

// Contact is everything that a contact is decided by.
type Contact struct {
	Now     parley.Micros
	Steady  parley.Micros // by which the sender's rate refills
	Pattern parley.Pattern
	Sender  parley.Agent
	Target  parley.Agent
	// Task is the task that the sender works on; zero if none.
	Task   parley.Task
	Limits parley.Limits // the sender's
	// Approved says that somebody has approved this very contact.
	Approved bool
}

// Decision is what follows from an allowed contact.
type Decision struct {
	// AskDepth and DelegationDepth are those of the new task.
	AskDepth, DelegationDepth int
	// Rate is the sender's bucket after this contact.
	Rate parley.Rate
	// Wakes says that the target sleeps and must be woken.
	Wakes bool
	// Due is when a sleeping target starts; 0 is now.
	Due parley.Micros
}

// Decide allows or refuses a contact. It checks first what the caller can most easily
// change: the target, then the nesting, then the rate.
func Decide(c Contact) (Decision, *parley.Error) {
	if c.Sender.ID == c.Target.ID {
		return Decision{}, parley.ErrSelf()
	}
	var d Decision
	if err := d.checkTarget(c); err != nil {
		return d, err
	}
	if err := d.countDepth(c); err != nil {
		return d, err
	}
	return d, d.countRate(c, 1)
}

// checkTarget applies the table of target statuses.
func (d *Decision) checkTarget(c Contact) *parley.Error {
	if c.Pattern == parley.Notify {
		return nil
	}
	if c.Target.Gone() {
		return ErrOffline(c.Target.Name)
	}
	d.Wakes = c.Pattern == parley.Ask && c.Target.Sleeping(c.Now)
	d.Due = Due(c.Target, c.Pattern, c.Now)
	return nil
}

// Due is when an agent begins work of a pattern: 0 for now, or when it wakes. An ask
// is never delayed, since somebody waits for it.
func Due(a parley.Agent, p parley.Pattern, now parley.Micros) parley.Micros {
	if p == parley.Ask || !a.Sleeping(now) {
		return 0
	}
	return a.SleepingUntil
}

// ErrOffline refuses work for an agent that cannot take any.
func ErrOffline(name string) *parley.Error {
	return parley.Errorf(parley.Unavailable, "%s is offline (agent unavailable).", name).WithRule(parley.RuleStatus).
		WithHint("Use 'notify' to leave a message, or choose another agent.")
}

// countDepth says how deep the new task is. A person's contact does not count, and a
// delegation resets the depth of asks.
func (d *Decision) countDepth(c Contact) *parley.Error {
	if c.Sender.Kind == parley.Person {
		return nil
	}
	d.AskDepth, d.DelegationDepth = c.Task.AskDepth, c.Task.DelegationDepth
	switch c.Pattern {
	case parley.Ask:
		if d.AskDepth++; d.AskDepth > c.Limits.AskDepth {
			return parley.ErrAskDepth(c.Limits.AskDepth)
		}
	case parley.Delegate, parley.Mention, parley.QuestionPattern:
		d.AskDepth = 0
		if d.DelegationDepth++; d.DelegationDepth > c.Limits.DelegationDepth {
			return parley.ErrDelegationDepth(c.Limits.DelegationDepth)
		}
	}
	return nil
}

// countRate counts contacts against the sender's rate. An approved contact does not
// count: it was not the sender's decision.
func (d *Decision) countRate(c Contact, n int) *parley.Error {
	if d.Rate = c.Sender.Rate; c.Approved {
		return nil
	}
	var err *parley.Error
	d.Rate, err = Spend(c.Steady, c.Sender, c.Limits, n)
	return err
}

// Spend draws n contacts from an agent's bucket, or none if there are fewer in it.
// Other things that an agent starts by itself, such as asking for an approval, cost
// the same. People are not limited. now is the steady time.
func Spend(now parley.Micros, sender parley.Agent, limits parley.Limits, n int) (parley.Rate, *parley.Error) {
	rate, wait := draw(now, sender, limits, n)
	if wait > 0 {
		return sender.Rate, parley.ErrRate(limits.Rate, wait)
	}
	return rate, nil
}

// Reserve draws one contact even from an empty bucket, and says how long it has to
// be put off for that. What is drawn later comes after it.
func Reserve(now parley.Micros, sender parley.Agent, limits parley.Limits) (parley.Rate, time.Duration) {
	rate, wait := draw(now, sender, limits, 1)
	return rate, max(wait, 0)
}

// draw is the bucket after n more contacts, and how long it takes until it holds them.
// Nothing is refused for ever: what costs more than the bucket holds takes all of it.
func draw(now parley.Micros, sender parley.Agent, limits parley.Limits, n int) (parley.Rate, time.Duration) {
	if sender.Kind == parley.Person {
		return sender.Rate, 0
	}
	rate := sender.Rate.Refilled(now)
	rate.Debt += limits.Interval() * time.Duration(max(min(n, limits.Bucket()), 1))
	return rate, rate.Debt - limits.Interval()*time.Duration(limits.Bucket())
}
