package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
	"parley/internal/client"
)

func messageCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:     "message",
		Short:   "Show a message and what became of it",
		Example: "  parley message show msg-2041",
		GroupID: groupLook,
	}, messageShowCommand(c))
}

func messageShowCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "show MESSAGE",
		Short: "Show a message and what became of it for each recipient",
		Long: `Show a message and what became of it for each recipient: accepted (stored),
delivered (given to the agent), seen (read by its model, or displayed to a
person), answered.`,
		Example: `  parley message show msg-2041
  parley message show msg-2041 --json | jq -r '.deliveries[].state'`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				m, err := hub.Message(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(m, func(s view.Screen) string { return s.Record(m) })
			})
		},
	}
}
