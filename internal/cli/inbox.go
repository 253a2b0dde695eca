package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/internal/api"
	"parley/internal/cli/view"
	"parley/internal/client"
)

// inboxLimit is how many messages are shown at once.
const inboxLimit = 100

func inboxCommand(c *console) *cobra.Command {
	var peek bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "Show the messages for you that you have not seen",
		Long: `Show the messages for you that you have not seen: results, notifications, and
what agents ask of you, with how to answer it. What was shown counts as seen and
is not shown again; "parley read AGENT" shows the whole conversation.`,
		Example: `  parley inbox
  parley inbox --peek            # they stay unseen
  parley inbox --json | jq -r '.items[] | select(.asks) | .task_id'`,
		GroupID: groupTalk,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.inbox(ctx, hub, peek)
			})
		},
	}
	cmd.Flags().BoolVar(&peek, "peek", false, "leave the messages unseen")
	return cmd
}

func (c *console) inbox(ctx context.Context, hub *client.Client, peek bool) error {
	items, err := hub.Inbox(ctx, inboxLimit)
	if err != nil {
		return err
	}
	err = c.show(api.Inbox{Items: items}, func(s view.Screen) string {
		if len(items) == 0 {
			return "Nothing new.\n"
		}
		return s.Inbox(items, func(task string) string { return c.command("reply %s", task) })
	})
	if err != nil || peek {
		return err
	}
	if len(items) == inboxLimit {
		c.advise("There may be more: run it again.")
	}
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return hub.MarkSeen(ctx, ids...)
}
