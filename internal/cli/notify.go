package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func notifyCommand(c *console) *cobra.Command {
	var about string
	var urgent bool
	cmd := &cobra.Command{
		Use:   "notify AGENT [MESSAGE...]",
		Short: "Tell an agent something without starting work",
		Long: `Tell an agent something. This starts no work: the agent reads it at its next
turn, whoever that is for, even if it sleeps or is offline now. With --urgent it also
reads it between the steps of what it is doing now.

` + longInputHelp,
		Example: `  parley notify WriterBot "The deadline moved to Friday."
  parley notify WriterBot "Stop, the figures are wrong." --urgent
  parley notify WriterBot < decision.md
  parley notify WriterBot "Done." --json | jq -r .message_id`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completeOther,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkText("--context", about); err != nil {
				return err
			}
			message, err := c.compose(cmd, args[1:])
			if err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.notify(ctx, hub, api.ContactRequest{Action: string(parley.Notify), Agent: args[0],
					Message: message, Context: about, Attach: true, Urgent: urgent})
			})
		},
	}
	cmd.Flags().StringVar(&about, "context", "", "background that the agent needs")
	cmd.Flags().BoolVar(&urgent, "urgent", false, "show it to the agent between two steps of its running work")
	return c.takesInput(cmd)
}

func (c *console) notify(ctx context.Context, hub *client.Client, r api.ContactRequest) error {
	contact, err := openContact(ctx, hub, r)
	if err != nil {
		return err
	}
	return c.show(contact, func(view.Screen) string {
		text := parley.NotifiedText(contact.Agent)
		if contact.Isolated {
			text += parley.IsolatedText(contact.Agent)
		}
		return text + "\n" +
			"See whether it was read with: " + c.command("message show %s", contact.Message) + "\n"
	})
}
