package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_answer_question.md
var peerAnswerQuestionText string

var peerAnswerQuestionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"query_id": {"type": "string", "description": "The query that you were asked, for example query-12."},
		"answer": {"type": "string", "description": "Your answer to the question."}
	},
	"required": ["query_id", "answer"]
}`)

func peerAnswerQuestion(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_answer_question", Description: peerAnswerQuestionText, Schema: peerAnswerQuestionSchema},
		Replays: true,
		Action:  answerAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			args, err := decodeAnswer(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			id, err := parley.ParseQuestionID(args.Query)
			if err != nil {
				return tool.Result{Text: parley.QuestionGoneText(args.Query)}, nil
			}
			return orMiss(parley.AnsweredText(id), contacts.AnswerQuestion(ctx, contacttools.Caller(c), id, args.Answer, c.Key))
		},
	}
}

type answer struct {
	Query  string `json:"query_id"`
	Answer string `json:"answer"`
}

func decodeAnswer(raw json.RawMessage) (a answer, err error) {
	err = tool.Decode(raw, &a)
	return a, err
}

// answerAction names the call for the rules. A name that nothing has is answered
// when the tool reads it.
func answerAction(raw json.RawMessage) string {
	a, _ := decodeAnswer(raw)
	if id, err := parley.ParseQuestionID(a.Query); err == nil {
		return policy.Action(policy.TaskOp, "answer "+id.String())
	}
	return policy.Action(policy.TaskOp, "answer ")
}
