package cli

import (
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// mostBelow is how many tasks are shown at work at once.
const mostBelow = 8

// below lists who works on a task or on one below it at this moment, and what each does
// or waits for.
func below(s view.Screen, tree api.TaskTree) (lines []string) {
	left := 0
	visit(tree, func(t api.Task) {
		text := doing(s, t)
		switch {
		case text == "":
		case len(lines) == mostBelow:
			left++
		default:
			lines = append(lines, s.Fit("  "+view.Line(t.Agent)+" "+view.Line(text)))
		}
	})
	if left > 0 {
		lines = append(lines, "  "+view.Plural(left, "more task"))
	}
	return lines
}

// doing is what a task does at this moment, and for how long if that is a while.
func doing(s view.Screen, t api.Task) string {
	switch {
	case t.State == parley.Running.String() && t.Now != "":
		if t.NowSince == nil || s.Now.Sub(*t.NowSince) < 2*time.Second {
			return t.Now
		}
		return t.Now + " " + view.Seconds(s.Now.Sub(*t.NowSince))
	case t.State == parley.Waiting.String() && t.WaitsFor != "":
		return view.WaitsFor(t)
	}
	return ""
}

// visit calls do for every task of a tree that has not ended, parents first.
func visit(t api.TaskTree, do func(api.Task)) {
	if !view.Ended(t.Task) {
		do(t.Task)
	}
	for _, child := range t.Children {
		visit(child, do)
	}
}
