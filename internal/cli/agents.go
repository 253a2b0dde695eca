package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/internal/api"
	"parley/internal/cli/view"
	"parley/internal/client"
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
				agents, err := hub.Agents(ctx)
				if err != nil {
					return err
				}
				return c.show(api.AgentList{Agents: agents}, func(s view.Screen) string { return s.Agents(agents) })
			})
		},
	}
}
