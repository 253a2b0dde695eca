package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/view"
)

func toolsCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "tools AGENT",
		Short: "Show an agent's tools as its model sees them",
		Long: `Show an agent's tools as its model sees them: those of its toolsets and of its MCP
servers, without those that its file leaves out. A server that is not running is shown
with the reason.

"parley explain" says whether the agent may use a tool.`,
		Example: `  parley tools planner
  parley tools planner --json | jq -r '.tools[].name'`,
		GroupID:           groupLook,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Tools(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(list, func(s view.Screen) string { return s.Tools(list) })
			})
		},
	}
}
