package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// stepLog holds the flags of "parley log".
type stepLog struct {
	query  client.StepQuery
	follow bool
}

func logCommand(c *console) *cobra.Command {
	var l stepLog
	cmd := &cobra.Command{
		Use:   "log [TASK|AGENT]",
		Short: "Show what agents do, step by step",
		Long: `Show what agents do, one line a step, oldest first: when, who, on which task, what,
how long it took and what it cost. A task is shown with everything below it. When a
provider asks for patience, that is a line too. The last 100 are shown; --limit 0 shows
all.

With -f the command goes on with new steps as they happen. It misses none, even if the
hub is restarted. With --json each step is a JSON object on its own line, with
arguments, results and everything else.

"parley audit" shows the other record, of what happened between participants;
"parley audit --steps" shows both.`,
		Example: `  parley log -f
  parley log task-101
  parley log writer -f
  parley log --limit 0 --json | jq 'select(.tool == "shell") | .command'`,
		GroupID:           groupLook,
		Args:              naming(1, between(0, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			if l.query.Limit < 0 || l.query.Limit > longestList {
				return misused(cmd, "--limit is %d; it has to be a number from 1 to %d, or 0 for all.", l.query.Limit, longestList)
			}
			if len(args) > 0 {
				l.name(args[0])
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error { return c.log(ctx, hub, l) })
		},
	}
	cmd.Flags().IntVar(&l.query.Limit, "limit", 100, "how many of the newest at most; 0 shows all")
	cmd.Flags().BoolVarP(&l.follow, "follow", "f", false, "go on with new steps")
	return cmd
}

// name says whose steps are wanted: a task's with its tree, or an agent's.
func (l *stepLog) name(arg string) {
	if id, err := parley.ParseTaskID(arg); err == nil {
		l.query.Task, l.query.Tree = id.String(), true
		return
	}
	l.query.Agent = arg
}

func (c *console) log(ctx context.Context, hub *client.Client, l stepLog) error {
	if l.follow {
		var stop context.CancelFunc
		ctx, stop = interruptible(ctx)
		defer stop()
	}
	steps, removed, err := newestSteps(ctx, hub, l.query, c.logged)
	if err != nil {
		return err
	}
	if removed != "" {
		c.advise("%s", removed)
	}
	about := client.EventFilter{Agent: l.query.Agent, Task: l.query.Task, Tree: l.query.Tree}
	if len(steps) > 0 {
		l.query.Cursor = steps[len(steps)-1].Cursor
	}
	if l.query.Limit > 0 && len(steps) >= l.query.Limit { // there are older ones
		about.Since = steps[0].At
	}
	asides, ends, err := readAsides(ctx, hub, about)
	if err != nil {
		return err
	}
	steps = byTime(steps, asides)
	if l.query.Limit > 0 {
		steps = steps[max(0, len(steps)-l.query.Limit):]
	}
	screen := c.screen(c.out)
	for _, st := range steps {
		if err := c.logStep(screen, st); err != nil {
			return err
		}
	}
	if l.follow {
		return followBoth(ctx, hub, ends, l.query, func(h happening) error {
			switch {
			case h.step != nil:
				return c.logStep(c.screen(c.out), *h.step)
			case waitsIn(about, *h.event):
				return c.logStep(c.screen(c.out), asideStep(*h.event))
			}
			return nil
		})
	}
	if len(steps) == 0 && removed == "" {
		c.advise("There are no such steps on record.")
	}
	return nil
}

// logStep writes one step, as JSON or for people.
func (c *console) logStep(s view.Screen, st api.Step) error {
	if c.json {
		return c.line(st)
	}
	if !view.Logged(st) {
		return nil
	}
	_, err := io.WriteString(c.out, s.Step(st))
	return err
}

// logged reports whether a step is shown in a log.
func (c *console) logged(st api.Step) bool { return c.json || view.Logged(st) }

// newestSteps reads the newest steps that are wanted, oldest first: as many as the query
// says, or all if it says 0.
func newestSteps(ctx context.Context, hub *client.Client, q client.StepQuery, wanted func(api.Step) bool) (list []api.Step, removed string, err error) {
	limit := q.Limit
	q.Limit = longestList
	if limit > 0 {
		q.Limit = limit
	}
	for {
		page, err := hub.Steps(ctx, q)
		if err != nil {
			return nil, "", err
		}
		list = append(slices.DeleteFunc(page.Steps, func(st api.Step) bool { return !wanted(st) }), list...)
		if page.Before == "" || limit > 0 && len(list) >= limit {
			if limit > 0 {
				list = list[max(0, len(list)-limit):]
			}
			return list, page.Removed, nil
		}
		q.Before = page.Before
	}
}

// taskSteps reads all steps of a task that are stored.
func taskSteps(ctx context.Context, hub *client.Client, id string) (all api.StepList, err error) {
	all.Steps = []api.Step{}
	for page := (client.StepPage{Limit: longestList}); ; {
		list, err := hub.TaskSteps(ctx, id, page)
		if err != nil {
			return all, err
		}
		all.Steps, all.Removed = append(all.Steps, list.Steps...), list.Removed
		if page.After = list.Next; page.After == "" {
			return all, nil
		}
	}
}

// stepsText shows the steps of a task below the task itself.
func stepsText(s view.Screen, list api.StepList, full bool) string {
	text := "\n" + s.Paint(view.Bold, "Steps") + "\n"
	switch {
	case list.Removed != "":
		text += list.Removed + "\n"
	case len(list.Steps) == 0:
		text += "none yet\n"
	case full:
		for _, st := range list.Steps {
			text += s.WholeStep(st)
		}
	default:
		text += s.Steps(list.Steps)
	}
	return text
}
