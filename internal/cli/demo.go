package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"parley/internal/demo"
)

func demoCommand(c *console) *cobra.Command {
	o := demo.Options{}
	open := false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See a team at work, without a key and without a network",
		Long: `See a team at work, without a key and without a network. A coordinator asks one
agent, delegates to three in parallel and gets their results one by one. One of them
fails, and another agent does its work. In the end the report waits for your approval to
be published.

The hub is a real one. It stays up until Ctrl-C, so that you can talk to it from
another terminal. It leaves nothing behind. At a terminal it prints a link to the page,
where the story runs too; --open opens it in the browser.`,
		Example: `  parley demo
  parley demo --open               # watch it in the browser
  parley demo --exit               # exit when the story ends
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
			o.Link = c.showsLinks()
			if open {
				o.Open = c.openPage
			}
			return demo.Run(ctx, o)
		},
	}
	cmd.Flags().BoolVar(&o.Exit, "exit", false, "exit when the story ends; the exit code says whether it went as planned")
	cmd.Flags().BoolVar(&open, "open", false, "open the page in the browser")
	cmd.Flags().BoolVar(&o.Fast, "fast", false, "leave out the pauses for reading")
	cmd.Flags().StringVar(&o.Keep, "keep", "", "keep the team and its data in this `folder`")
	return cmd
}
