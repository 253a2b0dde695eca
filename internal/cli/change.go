package cli

import (
	"context"

	"github.com/spf13/cobra"

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
apply. What tools changed is shown exactly. What commands changed is found by looking
before and after; files that git ignores are left out.`,
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
to what they were before.

A file that was changed since, by hand or by another task, and one of which nobody knows
for certain what was changed, is refused by name. Then nothing is undone, unless
--partial says that the rest should be. Undone again, it finds nothing left to do.`,
		Example: `  parley task undo task-101
  parley task undo task-101 --partial`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				u, err := hub.UndoTask(ctx, args[0], in)
				if err != nil {
					return err
				}
				return c.show(u, func(s view.Screen) string { return s.Undone(u) })
			})
		},
	}
	cmd.Flags().BoolVar(&in.Only, "only", false, "leave out what the tasks below have changed")
	cmd.Flags().BoolVar(&in.Partial, "partial", false, "undo what can be undone, and leave the rest")
	return cmd
}
