package contacttools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

//go:embed cancel_task.md
var cancelTaskText string

func cancelTask(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[taskIDArgs]{
		Name: "cancel_task", Title: "Cancel a task", Description: cancelTaskText, Hints: tool.Hints{Destructive: true},
		Replays: true,
		Action:  func(args taskIDArgs) string { return TaskAction("cancel", args.TaskID, parley.ParseTaskID) },
		Run: func(ctx context.Context, c tool.Call, args taskIDArgs) (tool.Result, error) {
			id, err := parley.ParseTaskID(args.TaskID)
			if err != nil {
				return tool.Result{}, err
			}
			if err := contacts.Cancel(ctx, Caller(c), id); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: id.String() + " is cancelled."}, nil
		},
	})
}
