package contacttools

import (
	"context"
	_ "embed"
	"fmt"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

//go:embed await_task.md
var awaitTaskText string

// taskIDArgs are those of every tool that is about one task.
type taskIDArgs struct {
	TaskID string `json:"task_id" required:"true" doc:"The task, for example task-101."`
}

func awaitTask(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[taskIDArgs]{
		Name: "await_task", Title: "Wait for a task", Description: awaitTaskText,
		Replays: true,
		Action:  func(args taskIDArgs) string { return TaskAction("await", args.TaskID, parley.ParseTaskID) },
		Run: func(ctx context.Context, c tool.Call, args taskIDArgs) (tool.Result, error) {
			id, err := parley.ParseTaskID(args.TaskID)
			if err != nil {
				return tool.Result{}, err
			}
			a, err := contacts.AwaitTask(ctx, Caller(c), id)
			switch {
			case err != nil:
				return tool.Result{}, err
			case a.Task.State.Open():
				return tool.Result{Text: fmt.Sprintf("Waiting for %s (%s). You'll receive the result automatically when %s finishes.",
					a.Target, id, a.Target)}, nil
			case a.Task.Pushed():
				return tool.Result{Text: fmt.Sprintf("%s has finished (%s). You receive the result as that of a delegation.", a.Target, id)}, nil
			default:
				return Answered(a), nil
			}
		},
	})
}
