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

// narrator tells in plain lines what happens in a tree, while a command waits without a
// terminal. It is only for display: if it fails, less is shown and the command goes on.
type narrator struct {
	*console
	hub   *client.Client
	query client.StepQuery
	told  map[string]bool // the steps that were told, by id
	stop  func()          // telling what happens now
}

// narrate prints a line for each call that is made in a tree, and for what a task of it
// begins to wait for, until stop or finish is called.
func (c *console) narrate(ctx context.Context, hub *client.Client, task string) *narrator {
	n := &narrator{console: c, hub: hub, query: client.StepQuery{Task: task, Tree: true}, told: map[string]bool{}}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		_ = hub.FollowSteps(ctx, n.query, func(s api.Step) error { n.tell(s); return nil })
	})
	running.Go(func() { c.narrateWaits(ctx, hub, task) })
	n.stop = func() {
		cancel()
		running.Wait()
	}
	return n
}

func (n *narrator) tell(s api.Step) {
	if n.told[s.ID] {
		return
	}
	n.told[s.ID] = true
	if s.Kind == api.StepCall || s.Kind == api.StepWait {
		n.say("%s %s", view.Line(s.Agent), view.Line(s.Line))
	}
}

// finish tells what had not come when the wait was over: a quick task ends before
// anybody hears of its steps.
func (n *narrator) finish(ctx context.Context) {
	n.stop()
	var rest []api.Step
	for q := n.query; ; {
		page, err := n.hub.Steps(ctx, q)
		if err != nil {
			return
		}
		rest = append(page.Steps, rest...)
		known := len(page.Steps) > 0 && n.told[page.Steps[0].ID]
		if q.Before = page.Before; q.Before == "" || known {
			break
		}
	}
	for _, s := range rest {
		n.tell(s)
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
		lines, waits := newWaits(tree, told)
		for _, line := range lines {
			c.say("%s", line)
		}
		told = waits
	}
}

// newWaits says what tasks of a tree wait for that were not told to do so before.
func newWaits(tree api.TaskTree, told map[string]string) (lines []string, waits map[string]string) {
	waits = map[string]string{}
	visit(tree, func(t api.Task) {
		if t.State != parley.Waiting.String() || t.WaitsFor == "" {
			return
		}
		if strings.HasPrefix(t.WaitsFor, "approval") {
			return // the call that waits is told with its steps
		}
		text := view.WaitsFor(t)
		what, _, _ := strings.Cut(text, ",")
		waits[t.ID] = what
		if told[t.ID] != what {
			lines = append(lines, view.Line(t.Agent)+" "+view.Line(text))
		}
	})
	return lines, waits
}
