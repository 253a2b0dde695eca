package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_message.md
var peerMessageText string

var peerMessageSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"target": {"type": "string", "description": "Whom to tell, by name."},
		"message": {"type": "string", "description": "What it should know."}
	},
	"required": ["target", "message"]
}`)

func peerMessage(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_message", Description: peerMessageText, Schema: peerMessageSchema},
		Replays: true, Contacts: true, Peer: "target",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Target  string `json:"target"`
				Message string `json:"message"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			made, err := contacts.Notify(ctx, contacttools.Caller(c), contact.Request{Target: args.Target, Message: args.Message, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: parley.NotifiedText(made.Target)}, nil
		},
	}
}
