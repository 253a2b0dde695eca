package loomtools

import (
	"context"
	_ "embed"

	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_message.md
var peerMessageText string

type peerMessageArgs struct {
	Target  string `json:"target" alias:"agentId,target_agent" required:"true" doc:"Whom to tell, by name."`
	Message string `json:"message" required:"true" doc:"What it should know."`
}

func peerMessage(contacts *contact.Service) tool.Tool {
	return newTool(tool.Spec[peerMessageArgs]{
		Name: "peer_message", Title: "Leave a message", Description: peerMessageText,
		Replays: true, Contacts: true,
		Peer: func(a peerMessageArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args peerMessageArgs) (tool.Result, error) {
			made, err := contacts.Notify(ctx, contacttools.Caller(c), contact.Request{Target: args.Target, Message: args.Message, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: made.NotifiedText()}, nil
		},
	})
}
