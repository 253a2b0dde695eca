// Package question decides how a question is routed. Its functions are pure; the
// packages that read and write questions call them.
package question

import (
	"slices"
	"strings"

	"parley"
)

// RouteOf finds the route by which somebody was asked. It is nil if they were not.
func RouteOf(routes []parley.Route, who parley.AgentID) *parley.Route {
	for i := range routes {
		if routes[i].Agent == who {
			return &routes[i]
		}
	}
	return nil
}

// Forward says why a question may not be forwarded to the target; nil if it may.
// name is the target's name.
func Forward(q parley.Question, routes []parley.Route, by, target parley.AgentID, name string) *parley.Error {
	switch {
	case q.Hops >= parley.MaxHops:
		return parley.ErrMaxHops()
	case target == by:
		return parley.Errorf(parley.Conflict, "You cannot forward a question to yourself.").WithHint(elsewhere)
	case target == q.Asker:
		return parley.Errorf(parley.Conflict, "%s asked %s.", name, q.ID).WithHint(elsewhere)
	case RouteOf(routes, target) != nil:
		return parley.Errorf(parley.Conflict, "%s was asked %s already.", name, q.ID).WithHint(elsewhere)
	}
	return nil
}

const elsewhere = "Choose somebody else, or answer with what you know."

// Awaited reports whether somebody who was asked has still to answer.
func Awaited(routes []parley.Route) bool { return some(routes, parley.RouteAsked) }

// Answered reports whether somebody has answered.
func Answered(routes []parley.Route) bool { return some(routes, parley.RouteAnswered) }

// AllPassed reports whether everyone who was asked has passed, or has forwarded the
// question to somebody who has.
func AllPassed(routes []parley.Route) bool {
	return some(routes, parley.RoutePassed) && !some(routes, parley.RouteFailed) && !Awaited(routes) && !Answered(routes)
}

func some(routes []parley.Route, state parley.RouteState) bool {
	return slices.ContainsFunc(routes, func(r parley.Route) bool { return r.State == state })
}

// RoutesTo returns the routes by which a question reached somebody, beginning at the
// asker.
func RoutesTo(routes []parley.Route, to parley.AgentID) (legs []parley.Route) {
	for leg := RouteOf(routes, to); leg != nil; leg = RouteOf(routes, leg.By) {
		legs = append([]parley.Route{*leg}, legs...)
		if leg.Hop == 0 {
			break
		}
	}
	return legs
}

// Enrichments joins the enrichments of the routes, one line each, with the names of
// those who added them.
func Enrichments(legs []parley.Route, name func(parley.AgentID) string) string {
	var lines []string
	for _, leg := range legs {
		if leg.Enrichment != "" {
			lines = append(lines, name(leg.By)+": "+parley.Continued(leg.Enrichment))
		}
	}
	return strings.Join(lines, "\n")
}
