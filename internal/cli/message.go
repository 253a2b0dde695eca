package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func messageCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:     "message",
		Short:   "Show a message and its deliveries, or redact it",
		Example: "  parley message show msg-2041\n  parley message redact msg-2041",
		GroupID: groupLook,
	}, messageShowCommand(c), messageRedactCommand(c))
}

func messageShowCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "show MESSAGE",
		Short: "Show a message and how far it has come with each recipient",
		Long: `Show a message and how far it has come with each recipient: accepted (stored),
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
		Short: "Remove the text of a message but keep who wrote to whom and when",
		Long: `Remove the text of a message wherever the hub stored it: the message with its
context and attachment, copies of it, titles and errors of tasks, stored steps,
approvals and events. [redacted by NAME] takes its place. Who wrote to whom and when
stays, and the redaction itself goes on record. This cannot be undone.

An agent that has already read the text still knows it: a running turn goes on with it
and may repeat it. Messages of others that quote the text are listed but not changed.
Older backups still hold it.`,
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
		text += "These messages contain the text too and were not changed: " + strings.Join(r.Quoted, ", ") + "\n" +
			"See one with: " + c.command("message show %s", r.Quoted[0]) + "\n"
	}
	return text
}
