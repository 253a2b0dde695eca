package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/view"
)

func reloadCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Make the hub read the team's files again at once",
		Long: `Make the hub read the team's files again at once, and show what has changed. The hub
also does so by itself, some seconds after a change.

A running turn keeps what it began with; the next one uses the new files. An agent
whose file has a mistake works as before until the mistake is corrected. An agent whose
file is gone goes offline, and its open tasks fail. The exit code is 1 if a file has a
mistake.`,
		Example: `  parley reload
  parley reload --json | jq -r '.changed[].agent'`,
		GroupID: groupCare,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				r, err := hub.Reload(ctx)
				if err != nil {
					return err
				}
				if err := c.show(r, func(s view.Screen) string { return s.Reload(r) }); err != nil {
					return err
				}
				if len(r.Problems) > 0 {
					return silent{exitFailed}
				}
				return nil
			})
		},
	}
}
