package contacttools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/tool"
)

//go:embed send_channel_message.md
var sendChannelMessageText string

type sendChannelMessageArgs struct {
	Channel string `json:"channel" alias:"channelId" required:"true" doc:"The channel, for example #standup."`
	Content string `json:"content" required:"true" doc:"The message. @Name starts a turn of that member."`
}

// The rules are asked about the channel and about each mention where they are
// found.
func sendChannelMessage(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	name := func(id parley.AgentID) string { e, _ := dir.Entry(id); return e.Name }
	return tool.New(tool.Spec[sendChannelMessageArgs]{
		Name: "send_channel_message", Title: "Write in a channel", Description: sendChannelMessageText,
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call, args sendChannelMessageArgs) (tool.Result, error) {
			made, err := contacts.Post(ctx, Caller(c), contact.Post{Channel: args.Channel, Message: args.Content, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: made.Text(name)}, nil
		},
	})
}
