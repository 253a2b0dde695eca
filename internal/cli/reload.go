package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
	"parley/internal/client"
)

func reloadCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Have the hub take over the team's files at once",
		Long: `Have the hub take over the team's files at once, and show what is different. It
also does so by itself, some seconds after a file was changed.

A turn that runs ends with what it began with; the next one has the new. An agent
whose file has a mistake works as before until the mistake is mended. Those whose
files are gone are offline, and their open tasks fail. The exit code is 1 if a
file has a mistake.`,
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
