package loomtools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_forward_question.md
var peerForwardQuestionText string

type peerForwardQuestionArgs struct {
	Query      string `json:"query_id" required:"true" doc:"The query to forward, for example query-12."`
	Target     string `json:"target" alias:"agentId,target_agent" required:"true" doc:"Name of the agent to forward it to."`
	Enrichment string `json:"enrichment" required:"true" doc:"What you know about the question: the next agent and the asker read it."`
}

func peerForwardQuestion(contacts *contact.Service) tool.Tool {
	return newTool(tool.Spec[peerForwardQuestionArgs]{
		Name: "peer_forward_question", Title: "Forward a question", Description: peerForwardQuestionText,
		Replays: true, Contacts: true,
		Peer: func(a peerForwardQuestionArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args peerForwardQuestionArgs) (tool.Result, error) {
			id, err := parley.ParseQuestionID(args.Query)
			if err != nil {
				return tool.Result{Text: parley.QuestionGoneText(args.Query)}, nil
			}
			to, err := contacts.ForwardQuestion(ctx, contacttools.Caller(c),
				contact.Forwarding{Question: id, Target: args.Target, Enrichment: args.Enrichment, Key: c.Key})
			return orMiss(parley.ForwardedText(to), err)
		},
	})
}
