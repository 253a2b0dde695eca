package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func taskResumeCommand(c *console) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "resume TASK",
		Short: "Go on with a failed task where it failed",
		Long: `Go on with a failed task where it failed, as a new task that names the old one. It
takes over the steps of the old one and the results of its finished subtasks, so that
nothing that was done is done again; subtasks that were cancelled with it are named to
the agent. The result goes to the task that asked if that is open, else to your inbox
or that of whoever asked. The old task stays failed. To begin anew instead use
"parley task retry".`,
		Example: `  parley task resume task-101
  parley task resume task-101 --wait`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.taskResume(ctx, hub, args[0], wait)
			})
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result")
	return cmd
}

func (c *console) taskResume(ctx context.Context, hub *client.Client, id string, wait bool) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	r, err := hub.ResumeTask(context.WithoutCancel(ctx), id)
	if err != nil {
		return err
	}
	text := resumedText(r)
	if wait {
		c.advise("%s", text)
		return c.awaitResult(ctx, hub, r.Task)
	}
	return c.show(r, func(view.Screen) string {
		return text + "\nWait for it with: " + c.command("task wait %s", r.ID) + "\n"
	})
}

// resumedText says what was taken over.
func resumedText(r api.Resumption) string {
	if r.Steps == 0 {
		return fmt.Sprintf("Nothing of %s is stored here that could be taken over, so %s begins it anew as %s.", r.RetryOf, r.Agent, r.ID)
	}
	steps := "1 step"
	if r.Steps > 1 {
		steps = fmt.Sprintf("%d steps", r.Steps)
	}
	return fmt.Sprintf("%s goes on with %s as %s, after %s.", r.Agent, r.RetryOf, r.ID, steps)
}

// againHint says how a task that has ended without a result is asked for again.
func (c *console) againHint(t api.Task) string {
	retry := c.command("task retry %s", t.ID)
	if t.State != parley.TaskFailed.String() {
		return "Try again with: " + retry
	}
	return "Go on where it failed with: " + c.command("task resume %s", t.ID) + ", or begin anew with: " + retry
}
