package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed send_channel_message.md
var sendChannelMessageText string

var sendChannelMessageSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"channel": {"type": "string", "description": "The channel, for example #standup."},
		"content": {"type": "string", "description": "The message. @Name starts a turn of that member."}
	},
	"required": ["channel", "content"]
}`)

// The rules are asked about the channel and about each mention where they are
// found.
func sendChannelMessage(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	name := func(id parley.AgentID) string { e, _ := dir.Entry(id); return e.Name }
	return tool.Tool{
		Tool:    model.Tool{Name: "send_channel_message", Description: sendChannelMessageText, Schema: sendChannelMessageSchema},
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Channel string `json:"channel"`
				Content string `json:"content"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			made, err := contacts.Post(ctx, Caller(c), contact.Post{Channel: args.Channel, Message: args.Content, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: made.Text(name)}, nil
		},
	}
}
