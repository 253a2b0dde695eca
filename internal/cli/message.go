package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/api"
	"parley/internal/cli/view"
	"parley/internal/client"
)

func messageCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:     "message",
		Short:   "Show a message and what became of it, or take its text away",
		Example: "  parley message show msg-2041\n  parley message redact msg-2041",
		GroupID: groupLook,
	}, messageShowCommand(c), messageRedactCommand(c))
}

func messageShowCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "show MESSAGE",
		Short: "Show a message and what became of it for each recipient",
		Long: `Show a message and what became of it for each recipient: accepted (stored),
delivered (given to the agent), seen (read by its model, or displayed to a
person), answered.`,
		Example: `  parley message show msg-2041
  parley message show msg-2041 --json | jq -r '.deliveries[].state'`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				m, err := hub.Message(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(m, func(s view.Screen) string { return s.Record(m) })
			})
		},
	}
}

func messageRedactCommand(c *console) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "redact MESSAGE",
		Short: "Take the text of a message away; who wrote when to whom stays",
		Long: `Take the text of a message away, wherever the hub stored it: the message with its
context and attachment, copies of it, titles and errors of tasks, stored steps,
approvals and events. It reads [redacted by NAME] then. Who wrote when to whom stays,
and that it was redacted is on record. This cannot be undone.

What an agent has been shown already it has been shown: a turn under way goes on with
what it knows, and may repeat it. Messages of others that quote the text are named, not
changed. Backups made before still have it.`,
		Example: `  parley message redact msg-2041
  parley message redact msg-2041 --reason 'It had a password.'`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				r, err := hub.Redact(ctx, args[0], reason)
				if err != nil {
					return err
				}
				return c.show(r, func(view.Screen) string { return redactionText(c, r) })
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`why`, for the record")
	return cmd
}

func redactionText(c *console, r api.Redaction) string {
	text := "Redacted " + strings.Join(r.Messages, ", ") + ".\n"
	if len(r.Quoted) > 0 {
		text += "These contain the text too, and are left as they are: " + strings.Join(r.Quoted, ", ") + "\n" +
			"See one with: " + c.command("message show %s", r.Quoted[0]) + "\n"
	}
	return text
}
