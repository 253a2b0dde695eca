package contacttools

import (
	"context"
	_ "embed"
	"fmt"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

//go:embed remind.md
var remindText string

type remindArgs struct {
	TaskID string `json:"task_id" alias:"task" required:"true" doc:"The task that you wait for, for example task-101."`
	After  string `json:"after" required:"true" doc:"After how long, for example 30m, 2h or 1d."`
}

func remind(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[remindArgs]{
		Name: "remind", Title: "Be reminded of a task", Description: remindText,
		Replays: true,
		Action:  func(args remindArgs) string { return TaskAction("remind", args.TaskID, parley.ParseTaskID) },
		Run: func(ctx context.Context, c tool.Call, args remindArgs) (tool.Result, error) {
			id, err := parley.ParseTaskID(args.TaskID)
			if err != nil {
				return tool.Result{}, err
			}
			after, ok := parley.ParseSpan(args.After)
			if !ok {
				return tool.Result{}, parley.Errorf(parley.Invalid, "%q is no time with its unit.", parley.Clip(args.After, 32)).WithHint("Write one like 30m, 2h or 1d.")
			}
			if _, err := contacts.Remind(ctx, Caller(c), id, after); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: fmt.Sprintf("You'll be reminded if %s is still open after %s.", id, parley.SpanText(after))}, nil
		},
	})
}
