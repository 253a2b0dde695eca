package loomtools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_ask_question.md
var peerAskQuestionText string

type peerAskQuestionArgs struct {
	Question string `json:"question" required:"true" doc:"The question to ask."`
	Target   string `json:"target" alias:"agentId,target_agent" doc:"Name of a specific agent to ask. Omit to ask all."`
	Context  string `json:"context" doc:"What the others need to know to answer it."`
}

func peerAskQuestion(contacts *contact.Service) tool.Tool {
	return newTool(tool.Spec[peerAskQuestionArgs]{
		Name: "peer_ask_question", Title: "Ask the team a question", Description: peerAskQuestionText,
		Replays: true, Contacts: true,
		Peer: func(a peerAskQuestionArgs) string { return a.Target }, All: true,
		Run: func(ctx context.Context, c tool.Call, args peerAskQuestionArgs) (tool.Result, error) {
			asked, err := contacts.Question(ctx, contacttools.Caller(c),
				contact.Request{Target: args.Target, Message: args.Question, Context: args.Context, Key: c.Key})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: parley.QuestionSentText(asked.Target, asked.ID)}, nil
		},
	})
}
