package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func postCommand(c *console) *cobra.Command {
	return c.takesInput(&cobra.Command{
		Use:   "post '#CHANNEL'|AGENT|AGENT,AGENT [MESSAGE...]",
		Short: "Write in a channel or in the conversation of two",
		Long: `Write a message where others read it:

  '#CHANNEL'    in a channel, in quotes since # begins a comment. Every member
                that the message names as @Name gets a turn and replies there; a
                message that names nobody starts nothing.
  AGENT         in your own conversation with the agent. It works on the message,
                as with "parley delegate".
  AGENT,AGENT   in the conversation of two agents. Only an agent that the message
                names as @Name gets a turn, and it replies there.

` + longInputHelp,
		Example: `  parley post '#standup' "@WriterBot @DataBot what are you working on?"
  parley post WriterBot "Write the summary of Q3."
  parley post WriterBot,DataBot "@DataBot the numbers are in the archive."
  parley post '#standup' "Good morning." --json | jq -r .message_id`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completePlace,
		RunE: func(cmd *cobra.Command, args []string) error {
			message, err := c.compose(cmd, args[1:])
			if err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.post(ctx, hub, args[0], message)
			})
		},
	})
}

func (c *console) post(ctx context.Context, hub *client.Client, where, message string) error {
	r := api.PostRequest{Message: message, Attach: true}
	first, second, two := strings.Cut(where, ",")
	switch {
	case strings.HasPrefix(where, "#"):
		r.Channel = where
	case two:
		r.Between = []string{strings.TrimSpace(first), strings.TrimSpace(second)}
	default:
		err := c.delegate(ctx, hub, api.ContactRequest{Action: string(parley.Delegate), Agent: where, Message: message, Attach: true,
			Priority: parley.Normal.String()}, false)
		return c.orChannel(ctx, hub, where, err)
	}
	posted, err := hub.Post(ctx, r)
	if err != nil {
		return err
	}
	return c.show(posted, func(s view.Screen) string {
		text := posted.Text + "\n"
		if len(posted.Tasks) > 0 {
			text += "Read it with: " + c.command("read %s", readAgain(r)) + "\n"
		}
		return text
	})
}

// readAgain names the place of a post for "parley read".
func readAgain(r api.PostRequest) string {
	if len(r.Between) == 2 {
		return shellQuote(r.Between[0]) + " " + shellQuote(r.Between[1])
	}
	return shellQuote(r.Channel)
}

// completePlace offers channels and agents.
func (c *console) completePlace(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, places)
}

// completeRead offers a channel or two agents.
func (c *console) completeRead(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return c.offer(cmd, places)
	}
	return c.completeAgents(cmd, args, typed)
}

func places(ctx context.Context, hub *client.Client) (completions, error) {
	names, err := agentNames(nil)(ctx, hub)
	if err != nil {
		return nil, err
	}
	channels, err := hub.Channels(ctx)
	for _, ch := range channels {
		names = append(names, cobra.CompletionWithDesc("#"+ch.Name, ch.Topic))
	}
	return names, err
}
