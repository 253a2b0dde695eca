package question_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/question"
)

const (
	ann, bob, cid, dan, eve = parley.AgentID(1), parley.AgentID(2), parley.AgentID(3), parley.AgentID(4), parley.AgentID(5)
)

// chain is Ann's question to Bob, who forwarded it to Cid, who forwarded it to Dan.
func chain() []parley.Route {
	return []parley.Route{
		{N: 1, Agent: bob, By: ann, State: parley.RouteForwarded},
		{N: 2, Agent: cid, By: bob, Hop: 1, Enrichment: "not me", State: parley.RouteForwarded},
		{N: 3, Agent: eve, By: bob, Hop: 1, Enrichment: "or Eve", State: parley.RouteFailed},
		{N: 4, Agent: dan, By: cid, Hop: 2, Enrichment: "nor me", State: parley.RouteAsked},
	}
}

func TestForward(t *testing.T) {
	q := parley.Question{ID: 1, Asker: ann, Hops: 3}
	for _, c := range []struct {
		name   string
		hops   int
		target parley.AgentID
		want   string
	}{
		{"to somebody new", 4, 9, ""},
		{"once too often", 5, 9, parley.MaxHopsText},
		{"to oneself", 0, dan, "You cannot forward a question to yourself."},
		{"to the asker", 0, ann, "X asked query-1."},
		{"to whoever was asked first", 0, bob, "X was asked query-1 already."},
		{"to whoever failed", 0, eve, "X was asked query-1 already."},
	} {
		q.Hops = c.hops
		got := ""
		if err := question.Forward(q, chain(), dan, c.target, "X"); err != nil {
			got = parley.Public(err)
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhatIsLeftOfAQuestion(t *testing.T) {
	a, b, f, x := parley.RouteAsked, parley.RouteAnswered, parley.RouteForwarded, parley.RouteFailed
	p := parley.RoutePassed
	for _, c := range []struct {
		states                     []parley.RouteState
		awaited, answered, unknown bool
	}{
		{[]parley.RouteState{a}, true, false, false},
		{[]parley.RouteState{x}, false, false, false},
		{[]parley.RouteState{p}, false, false, true},
		{[]parley.RouteState{f, a}, true, false, false},
		{[]parley.RouteState{f, x}, false, false, false},
		{[]parley.RouteState{f, p}, false, false, true},
		{[]parley.RouteState{p, x}, false, false, false},
		{[]parley.RouteState{p, a}, true, false, false},
		{[]parley.RouteState{p, b}, false, true, false},
		{[]parley.RouteState{x, b, x}, false, true, false},
		{[]parley.RouteState{x, x, a}, true, false, false},
	} {
		var routes []parley.Route
		for _, s := range c.states {
			routes = append(routes, parley.Route{State: s})
		}
		got := []bool{question.Awaited(routes), question.Answered(routes), question.AllPassed(routes)}
		if d := cmp.Diff([]bool{c.awaited, c.answered, c.unknown}, got); d != "" {
			t.Errorf("%v: awaited, answered, all passed: %s", c.states, d)
		}
	}
}

func TestWay(t *testing.T) {
	name := func(id parley.AgentID) string { return string(rune('@' + id)) }
	for _, c := range []struct {
		to   parley.AgentID
		legs []int
		text string
	}{
		{bob, []int{1}, ""},
		{dan, []int{1, 2, 4}, "B: not me\nC: nor me"},
		{eve, []int{1, 3}, "B: or Eve"},
		{ann, nil, ""},
	} {
		var legs []int
		way := question.RoutesTo(chain(), c.to)
		for _, leg := range way {
			legs = append(legs, leg.N)
		}
		if d := cmp.Diff(c.legs, legs); d != "" {
			t.Errorf("to %d: %s", c.to, d)
		}
		if got := question.Enrichments(way, name); got != c.text {
			t.Errorf("to %d: %q", c.to, got)
		}
	}
	if got := question.Enrichments(chain(), name); got != "B: not me\nB: or Eve\nC: nor me" {
		t.Errorf("all: %q", got)
	}
}
