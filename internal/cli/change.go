package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func taskDiffCommand(c *console) *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:   "diff TASK",
		Short: "Show what a task changed in files",
		Long: `Show what a task changed in files, with the tasks below it, as a diff that git can
apply. A task that was resumed from a failed one shows what both changed.

What tools changed is shown exactly. What commands changed is found by looking before
and after: it may hold what somebody else wrote at that time. Files that git ignores are
not shown; those that a command changed are named.`,
		Example: `  parley task diff task-101
  parley task diff task-101 --only
  parley task diff task-101 | git apply --check -R`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				d, err := hub.TaskDiff(ctx, args[0], only)
				if err != nil {
					return err
				}
				for _, note := range d.Notes {
					c.advise("%s", note)
				}
				return c.show(d, func(s view.Screen) string { return s.Diff(d) })
			})
		},
	}
	cmd.Flags().BoolVar(&only, "only", false, "leave out the tasks below")
	return cmd
}

func taskUndoCommand(c *console) *cobra.Command {
	var in api.UndoRequest
	cmd := &cobra.Command{
		Use:   "undo TASK",
		Short: "Take back what a task changed in files",
		Long: `Take back what a task changed in files, with the tasks below it. Files are brought back
to what they were before. A task that was resumed from a failed one takes back what
both changed.

What commands changed is found by looking before and after, so it may hold what somebody
else wrote at that time. At a terminal you see the list and are asked; otherwise --yes
says that you mean it. Files that git ignores are never undone; those that a command
changed are named.

A file that was changed since, by hand or by another task, and one of which nobody knows
for certain what was changed, is refused by name. Then nothing is undone, unless
--partial says that the rest should be. Undone again, it finds nothing left to do.`,
		Example: `  parley task undo task-101
  parley task undo task-101 --yes
  parley task undo task-101 --partial`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.taskUndo(ctx, hub, args[0], in)
			})
		},
	}
	cmd.Flags().BoolVar(&in.Only, "only", false, "leave out what the tasks below have changed")
	cmd.Flags().BoolVar(&in.Partial, "partial", false, "undo what can be undone, and leave the rest")
	cmd.Flags().BoolVar(&in.Commands, "yes", false, "undo what commands changed too, without asking")
	return cmd
}

func (c *console) taskUndo(ctx context.Context, hub *client.Client, id string, in api.UndoRequest) error {
	if _, asks := terminal(c.in); asks && !in.Commands {
		d, err := hub.TaskDiff(ctx, id, in.Only)
		if err != nil {
			return err
		}
		text := c.screen(c.err).ByCommands(d)
		if text != "" {
			c.say("%s", text)
			in.Commands = c.agreed("Undo these too?")
		}
		if text != "" && !in.Commands && !in.Partial {
			return parley.Errorf(parley.Invalid, "Nothing was undone.").WithHint("--partial undoes the rest.")
		}
	}
	u, err := hub.UndoTask(ctx, id, in)
	if err != nil {
		return err
	}
	for _, note := range u.Notes {
		c.advise("%s", note)
	}
	return c.show(u, func(s view.Screen) string { return s.Undone(u) })
}
