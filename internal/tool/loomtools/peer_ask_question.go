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

//go:embed peer_ask_question.md
var peerAskQuestionText string

var peerAskQuestionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"question": {"type": "string", "description": "The question to ask."},
		"target": {"type": "string", "description": "Name of a specific agent to ask. Omit to ask all."},
		"context": {"type": "string", "description": "What the others need to know to answer it."}
	},
	"required": ["question"]
}`)

func peerAskQuestion(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_ask_question", Description: peerAskQuestionText, Schema: peerAskQuestionSchema},
		Replays: true, Contacts: true, Peer: "target",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Question string `json:"question"`
				Target   string `json:"target"`
				Context  string `json:"context"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			asked, err := contacts.Question(ctx, contacttools.Caller(c),
				contact.Request{Target: args.Target, Message: args.Question, Context: args.Context, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: parley.QuestionSentText(asked.Target, asked.ID)}, nil
		},
	}
}
