package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// inboxLimit is how many messages are shown at once.
const inboxLimit = 100

func inboxCommand(c *console) *cobra.Command {
	var peek bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "Show the messages for you that you have not seen",
		Long: `Show the messages for you that you have not seen: results, notifications, and
requests of agents, with how to answer them. What was shown counts as seen and is
not shown again; "parley read AGENT" shows the whole conversation.

A request stays until you have answered it. Approvals that you may decide are shown
too, with how to decide, until somebody has decided.`,
		Example: `  parley inbox
  parley inbox --peek            # leave them unseen
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
	inbox, err := hub.Inbox(ctx, inboxLimit)
	if err != nil {
		return err
	}
	items := inbox.Items
	err = c.show(inbox, func(s view.Screen) string { return c.inboxText(s, inbox) })
	if err != nil || peek {
		return err
	}
	var ids []string
	for _, item := range items {
		if !item.Seen {
			ids = append(ids, item.ID)
		}
	}
	if len(ids) == inboxLimit {
		c.advise("There may be more. Run the command again to see them.")
	}
	return hub.MarkSeen(ctx, ids...)
}

func (c *console) inboxText(s view.Screen, inbox api.Inbox) string {
	if len(inbox.Items)+len(inbox.Approvals) == 0 {
		return "Nothing new.\n"
	}
	text := s.Inbox(inbox.Items, c.replies)
	decide := func(id string) []string {
		return []string{c.command("approve %s", id), c.command("deny %s", id) + ` "..."`}
	}
	if waiting := s.Deciding(inbox.Approvals, decide, c.wholeApproval); waiting != "" {
		if text != "" {
			text += "\n"
		}
		text += waiting
	}
	return text
}

// replies returns the commands that answer a request. A question can be
// forwarded too.
func (c *console) replies(item api.InboxItem) []string {
	if item.Question == "" {
		return []string{c.command("reply %s", item.Task) + ` "..."`}
	}
	return []string{
		c.command("question answer %s", item.Question) + ` "..."`,
		c.command("question forward %s", item.Question) + ` AGENT "..."`,
	}
}
