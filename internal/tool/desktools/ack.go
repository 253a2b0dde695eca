package desktools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/desk"
	"parley/internal/tool"
)

//go:embed ack.md
var ackText string

type ackArgs struct {
	Messages []string `json:"messages" doc:"The messages, for example [\"msg-12\", \"msg-15\"]."`
	Cursor   string   `json:"cursor" doc:"The cursor of a call, for all that it returned."`
}

func ack(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[ackArgs]{
		Name: "ack", Title: "Confirm messages", Description: ackText,
		Own: true, Replays: true,
		Run: func(ctx context.Context, c tool.Call, args ackArgs) (tool.Result, error) {
			if args.Cursor == "" && len(args.Messages) == 0 {
				return tool.Result{}, parley.Errorf(parley.Invalid, "Nothing is named that you have.").WithHint("Give messages or a cursor.")
			}
			ids := make([]parley.MessageID, len(args.Messages))
			for i, text := range args.Messages {
				id, err := parley.ParseMessageID(text)
				if err != nil {
					return tool.Result{}, err
				}
				ids[i] = id
			}
			return tool.Result{Text: "Confirmed."}, d.Ack(ctx, caller(c), ids, args.Cursor)
		},
	})
}
