package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func replyCommand(c *console) *cobra.Command {
	var decline string
	cmd := &cobra.Command{
		Use:   "reply TASK [TEXT...]",
		Short: "Answer a task that an agent gave you",
		Long: `Answer a task that an agent gave you; "parley inbox" shows them. The first
answer counts.

` + longInputHelp,
		Example: `  parley reply task-112 "Yes, publish it."
  parley reply task-112 < answer.md
  parley reply task-112 --decline "That is not mine to decide."`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completeAsked,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("decline") {
				if len(args) > 1 {
					return misused(cmd, "Give either an answer or --decline, not both.")
				}
				if strings.TrimSpace(decline) == "" {
					return misused(cmd, "The reason is empty.")
				}
				if err := checkText("--decline", decline); err != nil {
					return err
				}
				return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
					t, err := hub.Fail(ctx, args[0], decline)
					return c.replied("Declined", t, err)
				})
			}
			text, err := c.compose(cmd, args[1:])
			if err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				t, err := hub.Complete(ctx, args[0], text)
				return c.replied("Answered", t, err)
			})
		},
	}
	cmd.Flags().StringVar(&decline, "decline", "", "refuse it, with the `reason`")
	return c.takesInput(cmd)
}

func (c *console) replied(how string, t api.Task, err error) error {
	if err != nil {
		return err
	}
	return c.show(t, func(view.Screen) string { return how + " " + t.ID + " of " + t.Requester + ".\n" })
}
