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

//go:embed peer_forward_question.md
var peerForwardQuestionText string

var peerForwardQuestionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"query_id": {"type": "string", "description": "The query to forward, for example query-12."},
		"target": {"type": "string", "description": "Name of the agent to forward it to."},
		"enrichment": {"type": "string", "description": "What you know about the question: the next agent and the asker read it."}
	},
	"required": ["query_id", "target", "enrichment"]
}`)

func peerForwardQuestion(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_forward_question", Description: peerForwardQuestionText, Schema: peerForwardQuestionSchema},
		Replays: true, Contacts: true, Peer: "target",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Query      string `json:"query_id"`
				Target     string `json:"target"`
				Enrichment string `json:"enrichment"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			id, err := parley.ParseQuestionID(args.Query)
			if err != nil {
				return tool.Result{Text: parley.QuestionGoneText(args.Query)}, nil
			}
			to, err := contacts.ForwardQuestion(ctx, contacttools.Caller(c),
				contact.Forwarding{Question: id, Target: args.Target, Enrichment: args.Enrichment, Key: c.Key})
			return orMiss(parley.ForwardedText(to), err)
		},
	}
}
