package desktools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/desk"
	"parley/internal/tool"
)

//go:embed task_update.md
var taskUpdateText string

type taskUpdateArgs struct {
	TaskID string `json:"task_id" required:"true" doc:"The task, for example task-101."`
	Note   string `json:"note" required:"true" doc:"How far it is, in a sentence."`
}

func taskUpdate(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[taskUpdateArgs]{
		Name: "task_update", Title: "Say how far a task is", Description: taskUpdateText,
		Own: true, Replays: true, Output: taskOutput,
		Run: func(ctx context.Context, c tool.Call, args taskUpdateArgs) (tool.Result, error) {
			id, err := parley.ParseTaskID(args.TaskID)
			if err != nil {
				return tool.Result{}, err
			}
			if err := d.Update(ctx, caller(c), id, args.Note); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: "Noted for " + id.String() + ".", Data: taskData(id)}, nil
		},
	})
}
