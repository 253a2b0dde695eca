package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/policy"
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
		Action:  func(args json.RawMessage) string { return taskAction("await", args) },
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

// taskAction names what is done to a task for the rules. Arguments that name
// none are refused when the tool reads them.
func taskAction(verb string, args json.RawMessage) string {
	id, err := taskID(args)
	if err != nil {
		return policy.Action(policy.TaskOp, verb+" ")
	}
	return policy.Action(policy.TaskOp, verb+" "+id.String())
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
