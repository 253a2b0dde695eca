package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func pauseCommand(c *console) *cobra.Command {
	return pauseOrResume(c, &cobra.Command{
		Use:   "pause",
		Short: "Stop all turns of the team at their next step",
		Long: `Stop all turns of the team at their next step. A running model call or tool call is
finished, and its result is kept. New work is queued; asks wait until their time is
over. The team stays paused until "parley resume", even if the hub is restarted.`,
		Example: `  parley pause
  parley pause --json | jq .paused`,
	}, (*client.Client).Pause)
}

func resumeCommand(c *console) *cobra.Command {
	return pauseOrResume(c, &cobra.Command{
		Use:   "resume",
		Short: "Let the turns of a paused team go on",
		Long: `Let the turns of a paused team go on where they stopped, and start what was queued
meanwhile.`,
		Example: `  parley resume
  parley resume --json | jq .paused`,
	}, (*client.Client).Resume)
}

// pauseOrResume is the common part of the two commands.
func pauseOrResume(c *console, cmd *cobra.Command, do func(*client.Client, context.Context) (api.Team, error)) *cobra.Command {
	cmd.GroupID, cmd.Args = groupCare, between(0, 0)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
			team, err := do(hub, ctx)
			if err != nil {
				return err
			}
			return c.show(team, func(view.Screen) string {
				if team.Paused {
					return c.pausedNote()
				}
				return "The team goes on.\n"
			})
		})
	}
	return cmd
}

// pausedNote is shown wherever somebody may wonder why nothing happens.
func (c *console) pausedNote() string {
	return "The team is paused. Go on with: " + c.command("resume") + "\n"
}
