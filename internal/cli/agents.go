package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/view"
)

func agentsCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "agents",
		Short: "List the team's agents and what they are doing",
		Example: `  parley agents
  parley agents --json | jq -r '.agents[] | select(.status == "idle") | .name'`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.AgentList(ctx)
				if err != nil {
					return err
				}
				return c.show(list, func(s view.Screen) string {
					if list.Paused {
						return s.Agents(list.Agents) + c.pausedNote()
					}
					return s.Agents(list.Agents)
				})
			})
		},
	}
}
