package cli

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/client"
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

// narrate prints a line for each call that is made in a tree, and for what a task of it
// begins to wait for, while a command waits without a terminal. It ends with the returned
// function. It is only for display: if it fails, nothing is shown and the command goes on.
func (c *console) narrate(ctx context.Context, hub *client.Client, task string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		_ = hub.FollowSteps(ctx, client.StepQuery{Task: task, Tree: true}, func(s api.Step) error {
			if s.Kind == api.StepCall || s.Kind == api.StepWait {
				c.say("%s %s", view.Line(s.Agent), view.Line(s.Line))
			}
			return nil
		})
	})
	running.Go(func() { c.narrateWaits(ctx, hub, task) })
	return func() {
		cancel()
		running.Wait()
	}
}

// lookEvery is how often a command without a terminal looks what a tree waits for.
const lookEvery = 2 * time.Second

// narrateWaits prints what tasks wait for, once for each wait: the time that is left
// changes all the while.
func (c *console) narrateWaits(ctx context.Context, hub *client.Client, task string) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := map[string]string{} // by task
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		tree, err := hub.Tree(ctx, task)
		if err != nil {
			continue
		}
		waits := map[string]string{}
		visit(tree, func(t api.Task) {
			if t.State != parley.Waiting.String() || t.WaitsFor == "" {
				return
			}
			text := view.WaitsFor(t)
			what, _, _ := strings.Cut(text, ",")
			waits[t.ID] = what
			if told[t.ID] != what {
				c.say("%s %s", view.Line(t.Agent), view.Line(text))
			}
		})
		told = waits
	}
}
