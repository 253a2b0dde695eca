package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"parley/internal/demo"
)

func demoCommand(c *console) *cobra.Command {
	o := demo.Options{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See a team at work, without a key and without a network",
		Long: `See a team at work, without a key and without a network: a coordinator asks one
agent, delegates to three in parallel and gets the results one by one; one of them
fails, and somebody else does the work.

The hub is a real one. It stays up until Ctrl-C, so that you can talk to it from
another terminal, and leaves nothing behind.`,
		Example: `  parley demo
  parley demo --exit               # end with the story
  parley demo --keep demo-team     # keep the team and its data
  parley demo --exit --json | jq -r .kind`,
		GroupID: groupStart,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			o.Out, o.Screen, o.JSON = c.out, c.screen(c.out), c.json
			o.Log = c.logger(false, slog.LevelError)
			o.Program = c.program
			return demo.Run(ctx, o)
		},
	}
	cmd.Flags().BoolVar(&o.Exit, "exit", false, "end with the story; the exit code says whether it went as it should")
	cmd.Flags().BoolVar(&o.Fast, "fast", false, "without the pauses in which one reads")
	cmd.Flags().StringVar(&o.Keep, "keep", "", "keep the team and its data in this `folder`")
	return cmd
}
