package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/view"
)

func freshCommand(c *console) *cobra.Command {
	var with string
	cmd := &cobra.Command{
		Use:   "fresh AGENT",
		Short: "Begin a new conversation with an agent",
		Long: `Begin a new main thread with an agent: whatever is said from now on begins without what
was said before. The old thread stays readable, and work that is under way keeps it.`,
		Example: `  parley fresh DataBot
  parley fresh DataBot --with ReportBot`,
		GroupID:           groupCare,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				f, err := hub.Fresh(ctx, args[0], with)
				if err != nil {
					return err
				}
				return c.show(f, func(view.Screen) string {
					if f.Thread == f.Before {
						return "Nothing was said yet in " + f.Thread + ".\n"
					}
					return f.Thread + " begins. What was said before: " + c.command("read --thread %s", f.Before) + "\n"
				})
			})
		},
	}
	cmd.Flags().StringVar(&with, "with", "", "whose conversation with the `agent`; yours by default")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("with", c.completeAgent))
	return cmd
}
