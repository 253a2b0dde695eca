package chorustools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed send_to_agent.md
var sendToAgentText string

type sendToAgentArgs struct {
	Target  string `json:"target_agent" alias:"agentId,target" required:"true" doc:"The agent to send to, by name."`
	Message string `json:"message" required:"true" doc:"What it should know or do, with everything it needs for that."`
}

func sendToAgent(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.New(tool.Spec[sendToAgentArgs]{
		Name: "send_to_agent", Title: "Send a message to an agent", Description: sendToAgentText,
		Replays: true, Contacts: true,
		Peer: func(a sendToAgentArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args sendToAgentArgs) (tool.Result, error) {
			if err := other(dir, c, args.Target); err != nil {
				return tool.Result{}, err
			}
			made, err := contacts.Send(ctx, contacttools.Caller(c), contact.Request{Target: args.Target, Message: args.Message, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return delivered(made.Target)
		},
	})
}

// delivered says that a message was accepted, in the form that the set promises
// to the letter.
func delivered(target string) (tool.Result, error) {
	name, err := json.Marshal(target)
	return tool.Result{Text: `{"delivered": true, "target": ` + string(name) + `}`}, err
}
