package loomtools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_answer_question.md
var peerAnswerQuestionText string

type peerAnswerQuestionArgs struct {
	Query  string `json:"query_id" required:"true" doc:"The query that you were asked, for example query-12."`
	Answer string `json:"answer" doc:"Your answer to the question. Leave it out only if you pass."`
	Pass   bool   `json:"pass" doc:"Set to true if you do not know. Nothing is delivered then."`
}

func peerAnswerQuestion(contacts *contact.Service) tool.Tool {
	return newTool(tool.Spec[peerAnswerQuestionArgs]{
		Name: "peer_answer_question", Title: "Answer a question", Description: peerAnswerQuestionText,
		Replays: true,
		Action: func(args peerAnswerQuestionArgs) string {
			return contacttools.TaskAction("answer", args.Query, parley.ParseQuestionID)
		},
		Run: func(ctx context.Context, c tool.Call, args peerAnswerQuestionArgs) (tool.Result, error) {
			id, err := parley.ParseQuestionID(args.Query)
			if err != nil {
				return tool.Result{Text: parley.QuestionGoneText(args.Query)}, nil
			}
			if args.Pass {
				return orMiss(parley.PassedText(id), contacts.PassQuestion(ctx, contacttools.Caller(c), id))
			}
			return orMiss(parley.AnsweredText(id), contacts.AnswerQuestion(ctx, contacttools.Caller(c), id, args.Answer, c.Key))
		},
	})
}
