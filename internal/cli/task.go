package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func taskCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:   "task",
		Short: "Show, await, cancel, resume or retry a task, show or undo its changes, or raise its budget",
		Example: `  parley task show task-101
  parley task wait task-101
  parley task cancel task-101
  parley task resume task-101
  parley task retry task-101
  parley task diff task-101
  parley task undo task-101
  parley task budget task-101 --add tokens=50k`,
		GroupID: groupLook,
	}, taskShowCommand(c), taskWaitCommand(c), taskCancelCommand(c), taskResumeCommand(c), taskRetryCommand(c), taskBudgetCommand(c), taskDiffCommand(c), taskUndoCommand(c))
}

func taskShowCommand(c *console) *cobra.Command {
	var steps, full bool
	cmd := &cobra.Command{
		Use:   "show TASK",
		Short: "Show everything about a task",
		Long: `Show everything about a task. --steps adds what its turns did: what the model said,
its calls and what came of them, how long each took and what it cost, a line or two for
each step; --full shows every step whole.`,
		Example: `  parley task show task-101
  parley task show task-101 --steps
  parley task show task-101 --json | jq -r .state
  parley task show task-101 --steps --json | jq -r '.steps[].line'`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				if (steps || full) && c.json {
					list, err := shownSteps(ctx, hub, args[0])
					if err != nil {
						return err
					}
					return c.writeJSON(c.out, list)
				}
				return c.taskShow(ctx, hub, args[0], steps || full, full)
			})
		},
	}
	cmd.Flags().BoolVar(&steps, "steps", false, "also show its steps")
	cmd.Flags().BoolVar(&full, "full", false, "show the steps whole")
	return cmd
}

func (c *console) taskShow(ctx context.Context, hub *client.Client, id string, withSteps, full bool) error {
	t, err := hub.Task(ctx, id)
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(c.out, t)
	}
	var request api.MessageRecord
	if t.Request != "" { // else it was removed
		if request, err = hub.Message(ctx, t.Request); err != nil {
			return err
		}
	}
	var steps api.StepList
	if withSteps {
		if steps, err = shownSteps(ctx, hub, id); err != nil {
			return err
		}
	}
	tree, err := hub.Tree(ctx, id)
	if err != nil {
		return err
	}
	var held []api.Approval
	if t.Approvals > 0 {
		if held, err = hub.TaskApprovals(ctx, id); err != nil {
			return err
		}
	}
	return c.show(t, func(s view.Screen) string {
		text := s.Task(t, request.Message)
		if t.Spent != nil {
			text += "\n" + s.Paint(view.Bold, "Spent by the whole tree") + "\n" + s.Spending(*t.Spent)
		}
		if len(held) > 0 {
			text += "\n" + s.Paint(view.Bold, "Waits for approval") + "\n" + s.Approvals(held, c.wholeApproval)
		}
		if len(tree.Children) > 0 {
			text += "\n" + s.Paint(view.Bold, "Subtasks") + "\n" + s.Subtree(tree)
		}
		if withSteps {
			text += stepsText(s, steps, full)
		}
		return text
	})
}

func taskWaitCommand(c *console) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait TASK",
		Short: "Wait until a task has ended and show its result",
		Long: `Wait until a task has ended and show its result. At a terminal you see what is done
meanwhile, and are asked what waits for you in it, as with "parley ask". With --json
there is a line each time the task changes; the last one shows its end.`,
		Example: `  parley task wait task-101
  parley task wait task-101 --timeout 5m
  parley task wait task-101 --json | tail -n 1 | jq -r .result`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTimeout(cmd, timeout, 0); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.taskWait(ctx, hub, args[0], timeout)
			})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long to wait (as long as it takes)")
	return cmd
}

func (c *console) taskWait(ctx context.Context, hub *client.Client, id string, timeout time.Duration) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, err := hub.Task(ctx, id)
	if err != nil {
		return err
	}
	if c.json {
		t, err = c.stream(ctx, hub, t, timeout)
	} else {
		t, err = c.await(ctx, hub, t, timeout)
	}
	if err != nil {
		return err
	}
	if !view.Ended(t) {
		return parley.Errorf(parley.Timeout, "%s did not end within %s; it is %s.", t.ID, view.Duration(timeout), t.State).
			WithHint("%s", c.waitHint(t))
	}
	if c.json {
		c.seen(ctx, hub, t)
		if t.State != parley.Completed.String() {
			return taskFailed(t.Agent, t.Error)
		}
		return nil
	}
	return c.answer(ctx, hub, t, taskFailed)
}

func taskCancelCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel TASK",
		Short: "Cancel a task and everything below it",
		Long: `Cancel a task and everything below it. A cancelled task never runs again. A task that
waits for it is told.`,
		Example: `  parley task cancel task-101
  parley task cancel task-101 --json | jq -r .state`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeOpenTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				t, err := hub.Cancel(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(t, func(view.Screen) string { return "Cancelled " + t.ID + " of " + t.Agent + ".\n" })
			})
		},
	}
}

func taskRetryCommand(c *console) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "retry TASK",
		Short: "Begin a failed or cancelled task anew",
		Long: `Begin a failed or cancelled task anew, as a new task that names the old one. It knows
nothing of what was done in the old one, and does it again. To go on where a task has
failed use "parley task resume".`,
		Example: `  parley task retry task-101
  parley task retry task-101 --wait`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.taskRetry(ctx, hub, args[0], wait)
			})
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result")
	return cmd
}

func (c *console) taskRetry(ctx context.Context, hub *client.Client, id string, wait bool) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, err := hub.Retry(context.WithoutCancel(ctx), id)
	if err != nil {
		return err
	}
	text := t.Agent + " repeats " + t.RetryOf + " as " + t.ID + "."
	if wait {
		c.advise("%s", text)
		return c.awaitResult(ctx, hub, t)
	}
	return c.show(t, func(view.Screen) string {
		return text + "\nWait for it with: " + c.command("task wait %s", t.ID) + "\n"
	})
}

// stream prints the task each time it has changed, until it has ended.
func (c *console) stream(ctx context.Context, hub *client.Client, t api.Task, timeout time.Duration) (api.Task, error) {
	began, last := c.now(), api.Task{}
	for {
		if change(last) != change(t) {
			if err := c.line(t); err != nil {
				return t, err
			}
			last = t
		}
		poll := redrawEvery
		if timeout > 0 {
			poll = min(redrawEvery, timeout-c.now().Sub(began))
		}
		if view.Ended(t) || poll <= 0 {
			return t, nil
		}
		now, err := hub.WaitTask(ctx, t.ID, poll)
		if err != nil {
			return t, c.stopped(t, err)
		}
		t = now
	}
}

// change holds what makes a task worth another line when it changes.
func change(t api.Task) [4]any { return [4]any{t.State, t.ResultID, t.Turns, t.Open} }
