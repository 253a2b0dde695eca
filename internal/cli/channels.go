package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func channelsCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "channels",
		Short: "List the channels, with their members and unread messages",
		Long: `List the channels of the team by name, with their members, the number of messages
that you have not read, and the latest message. Channels come from parley.yaml or from
"parley channel add".`,
		Example: `  parley channels
  parley channels --json | jq -r '.channels[] | select(.unread > 0) | .name'`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Channels(ctx)
				if err != nil {
					return err
				}
				return c.show(api.ChannelList{Channels: list}, func(s view.Screen) string {
					if len(list) == 0 {
						return "There are no channels. Make one with: " + c.command("channel add NAME --members AGENT,AGENT") + "\n"
					}
					return s.Channels(list)
				})
			})
		},
	}
}

func channelCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:   "channel",
		Short: "Make or delete a channel, and change its members",
		Example: `  parley channel add standup --members WriterBot,DataBot
  parley channel invite standup AnalystBot`,
		GroupID: groupCare,
	}, channelAddCommand(c), channelMembersCommand(c, "invite"), channelMembersCommand(c, "remove"), channelDeleteCommand(c))
}

func channelAddCommand(c *console) *cobra.Command {
	var r api.ChannelRequest
	cmd := &cobra.Command{
		Use:   "add CHANNEL",
		Short: "Make a channel",
		Long: `Make a channel. Its members are you and those that you name with --members; "*"
means everyone. The channel survives a restart of the hub.`,
		Example: `  parley channel add standup --members WriterBot,DataBot
  parley channel add all-hands --members '*' --topic "What everyone should know"`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Name = args[0]
			if err := checkText("--topic", r.Topic); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				ch, err := hub.AddChannel(ctx, r)
				return c.channelChanged("Made", ch, err)
			})
		},
	}
	cmd.Flags().StringSliceVar(&r.Members, "members", nil, "`names` separated by commas, or *")
	cmd.Flags().StringVar(&r.Topic, "topic", "", "what it is about")
	return cmd
}

// channelMembersCommand makes the commands invite and remove.
func channelMembersCommand(c *console, verb string) *cobra.Command {
	short, long, do, done := "Invite agents or people to a channel", "Invite agents or people to a channel. They can read it from its beginning.", (*client.Client).Invite, "Changed"
	if verb == "remove" {
		short, long, do = "Remove agents or people from a channel", `Remove agents or people from a channel. They finish the work that they were asked for
there. A member that parley.yaml names comes back when the hub is started again.`, (*client.Client).RemoveMember
	}
	return &cobra.Command{
		Use:               verb + " CHANNEL AGENT...",
		Short:             short,
		Long:              long,
		Example:           "  parley channel " + verb + " standup WriterBot DataBot",
		Args:              naming(64, between(2, -1)),
		ValidArgsFunction: c.completeMembers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				var ch api.Channel
				for _, agent := range args[1:] {
					var err error
					if ch, err = do(hub, ctx, bareName(args[0]), agent); err != nil {
						return err
					}
				}
				return c.channelChanged(done, ch, nil)
			})
		},
	}
}

func channelDeleteCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "delete CHANNEL",
		Short: "Delete a channel",
		Long: `Delete a channel. What was said in it stays on record, and its name can be used again.
A channel that parley.yaml names comes back when the hub is started again.`,
		Example:           "  parley channel delete standup",
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeMembers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				name := bareName(args[0])
				if err := hub.DeleteChannel(ctx, name); err != nil {
					return err
				}
				return c.show(struct{}{}, func(view.Screen) string { return "Deleted #" + name + ".\n" })
			})
		},
	}
}

func (c *console) channelChanged(what string, ch api.Channel, err error) error {
	if err != nil {
		return err
	}
	return c.show(ch, func(view.Screen) string {
		return what + " #" + ch.Name + ". Its members: " + strings.Join(ch.Members, ", ") + ".\n"
	})
}

func bareName(channel string) string { return strings.TrimPrefix(channel, "#") }

// completeMembers offers channels for the first argument, then agents.
func (c *console) completeMembers(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return c.offer(cmd, agentNames(args[1:]))
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		list, err := hub.Channels(ctx)
		var names completions
		for _, ch := range list {
			names = append(names, cobra.CompletionWithDesc(ch.Name, ch.Topic))
		}
		return names, err
	})
}
