package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed cancel_task.md
var cancelTaskText string

func cancelTask(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "cancel_task", Description: cancelTaskText, Schema: taskIDSchema},
		Replays: true,
		Action:  func(args json.RawMessage) string { return taskAction("cancel", args) },
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			id, err := taskID(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			if err := contacts.Cancel(ctx, Caller(c), id); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: id.String() + " is cancelled."}, nil
		},
	}
}
