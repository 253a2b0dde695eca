package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/watch"
)

func watchCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Watch the team at work, decide and answer",
		Long: `Watch the team at work: who does what now, the tree of tasks, what is said and done,
what today has cost. What waits for you can be decided and answered here, and you can
write to anyone. Press ? for the keys and q to leave; the team works on.

It goes on when the hub is started anew. Without a terminal it prints one line for each
step, as "parley log -f" does.`,
		Example: `  parley watch
  parley watch --no-color
  parley watch | grep writer        # one line for each step`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.watch(cmd) },
	}
}

// plainSteps is how many old steps are shown first without a terminal, as by parley log.
const plainSteps = 100

func (c *console) watch(cmd *cobra.Command) error {
	in, isIn := terminal(c.in)
	out, isOut := terminal(c.out)
	if c.json || !isIn || !isOut || c.getenv("TERM") == "dumb" {
		return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
			return c.log(ctx, hub, stepLog{query: client.StepQuery{Limit: plainSteps}, follow: true})
		})
	}
	// A mistake in the address or the folder is said before the screen is taken.
	first, err := c.connect()
	if err != nil {
		return err
	}
	first.Close()
	screen := c.screen(out)
	return watch.Run(cmd.Context(), watch.Config{
		Dial: func() (watch.Hub, error) { return c.connect() },
		In:   in, Out: out, Zone: screen.Zone, Now: c.now, Color: screen.Color, ASCII: screen.ASCII,
	})
}
