// Package question decides how a question goes on its way. Its functions are
// pure: whoever reads and writes questions asks them.
package question

import (
	"strings"

	"parley"
)

// Of finds where somebody was asked; nil if that was never.
func Of(routes []parley.Route, who parley.AgentID) *parley.Route {
	for i := range routes {
		if routes[i].Agent == who {
			return &routes[i]
		}
	}
	return nil
}

// Forward refuses to pass a question on to somebody; nil if it may be. name is
// the target's.
func Forward(q parley.Question, routes []parley.Route, by, target parley.AgentID, name string) *parley.Error {
	switch {
	case q.Hops >= parley.MaxHops:
		return parley.ErrMaxHops()
	case target == by:
		return parley.Errorf(parley.Invalid, "You cannot forward a question to yourself.").WithHint(elsewhere)
	case target == q.Asker:
		return parley.Errorf(parley.Invalid, "%s asked %s.", name, q.ID).WithHint(elsewhere)
	case Of(routes, target) != nil:
		return parley.Errorf(parley.Invalid, "%s was asked %s already.", name, q.ID).WithHint(elsewhere)
	}
	return nil
}

const elsewhere = "Choose somebody else, or answer with what you know."

// Hopeless reports whether nobody can answer any more: everyone who was asked has
// failed, or passed it on to somebody who has.
func Hopeless(routes []parley.Route) bool {
	for _, r := range routes {
		if r.State == parley.RouteAsked || r.State == parley.RouteAnswered {
			return false
		}
	}
	return true
}

// Answered reports whether anybody has answered.
func Answered(routes []parley.Route) bool {
	for _, r := range routes {
		if r.State == parley.RouteAnswered {
			return true
		}
	}
	return false
}

// Way is how a question came to somebody: the legs from the asker to them, the
// first one first.
func Way(routes []parley.Route, to parley.AgentID) (legs []parley.Route) {
	for leg := Of(routes, to); leg != nil; leg = Of(routes, leg.By) {
		legs = append([]parley.Route{*leg}, legs...)
		if leg.Hop == 0 {
			break
		}
	}
	return legs
}

// Gathered is what those who forwarded a question knew, a line each, with their
// names.
func Gathered(legs []parley.Route, name func(parley.AgentID) string) string {
	var lines []string
	for _, leg := range legs {
		if leg.Enrichment != "" {
			lines = append(lines, name(leg.By)+": "+leg.Enrichment)
		}
	}
	return strings.Join(lines, "\n")
}
