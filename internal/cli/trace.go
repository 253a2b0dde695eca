package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func traceCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "trace TASK",
		Short: "Draw who said what to whom in a task, as a sequence diagram",
		Long: `Draw who said what to whom in a task and everything below it, as a sequence
diagram. Time runs down the page, and each participant has a column.`,
		Example: `  parley trace task-101
  parley trace task-101 --json | jq -r '.arrows[] | .from + " -> " + .to'`,
		GroupID:           groupLook,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				arrows, err := hub.Trace(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(api.Trace{Arrows: arrows}, func(s view.Screen) string { return s.Trace(arrows) })
			})
		},
	}
}
