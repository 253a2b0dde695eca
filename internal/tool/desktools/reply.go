package desktools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/desk"
	"parley/internal/tool"
)

//go:embed reply.md
var replyText string

type replyArgs struct {
	Message string `json:"message" required:"true" doc:"The message that you answer, for example msg-12."`
	Text    string `json:"text" required:"true" doc:"The answer."`
}

func reply(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[replyArgs]{
		Name: "reply", Title: "Answer a message", Description: replyText,
		Own: true, Replays: true, Output: replyOutput,
		Run: func(ctx context.Context, c tool.Call, args replyArgs) (tool.Result, error) {
			id, err := parley.ParseMessageID(args.Message)
			if err != nil {
				return tool.Result{}, err
			}
			text, err := d.Reply(ctx, caller(c), id, args.Text)
			return tool.Result{Text: text, Data: map[string]any{"message": id.String()}}, err
		},
	})
}

var replyOutput = json.RawMessage(`{"properties":{"message":{"type":"string","description":"The message that was answered."}}}`)
