package chorustools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed send_to_agent.md
var sendToAgentText string

var sendToAgentSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"target_agent": {"type": "string", "description": "The agent to send to, by name."},
		"message": {"type": "string", "description": "What it should know or do, with everything it needs for that."}
	},
	"required": ["target_agent", "message"]
}`)

func sendToAgent(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "send_to_agent", Description: sendToAgentText, Schema: sendToAgentSchema},
		Replays: true, Contacts: true, Peer: "target_agent",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Target  string `json:"target_agent"`
				Message string `json:"message"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			if err := other(dir, c, args.Target); err != nil {
				return tool.Result{}, err
			}
			made, err := contacts.Send(ctx, contacttools.Caller(c), contact.Request{Target: args.Target, Message: args.Message, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return delivered(made.Target)
		},
	}
}

// delivered says that a message was accepted, in the form that the set promises
// to the letter.
func delivered(target string) (tool.Result, error) {
	name, err := json.Marshal(target)
	return tool.Result{Text: `{"delivered": true, "target": ` + string(name) + `}`}, err
}
