package scenario

import (
	"parley"
	"parley/internal/app"
	"parley/internal/contact"
)

// turns sets how many turns each agent may run at once.
func turns(n int) func(*app.Member) {
	return limits(func(l *parley.Limits) { l.Turns = n })
}

// limits changes the limits of all.
func limits(change func(*parley.Limits)) func(*app.Member) {
	return func(m *app.Member) { change(&m.Limits) }
}

func ask(target string) contact.Request { return contact.Request{Target: target, Message: "Well?"} }
