package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed await_task.md
var awaitTaskText string

var taskIDSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"task_id": {"type": "string", "description": "The task, for example task-101."}},
	"required": ["task_id"]
}`)

func awaitTask(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "await_task", Description: awaitTaskText, Schema: taskIDSchema},
		Replays: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			id, err := taskID(c.Args)
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
	}
}

func taskID(raw json.RawMessage) (parley.TaskID, error) {
	var args struct {
		TaskID string `json:"task_id"`
	}
	if err := tool.Decode(raw, &args); err != nil {
		return 0, err
	}
	return parley.ParseTaskID(args.TaskID)
}
