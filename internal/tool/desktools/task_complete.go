package desktools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/desk"
	"parley/internal/tool"
)

//go:embed task_complete.md
var taskCompleteText string

type taskCompleteArgs struct {
	TaskID string `json:"task_id" required:"true" doc:"The task, for example task-101."`
	Result string `json:"result" required:"true" doc:"The whole result, as whoever asked should read it."`
}

func taskComplete(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[taskCompleteArgs]{
		Name: "task_complete", Title: "Complete a task", Description: taskCompleteText,
		Own: true, Replays: true, Output: taskOutput,
		Run: func(ctx context.Context, c tool.Call, args taskCompleteArgs) (tool.Result, error) {
			id, err := parley.ParseTaskID(args.TaskID)
			if err != nil {
				return tool.Result{}, err
			}
			if err := d.Complete(ctx, caller(c), id, args.Result); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: id.String() + " is completed.", Data: taskData(id)}, nil
		},
	})
}

//go:embed task_fail.md
var taskFailText string

type taskFailArgs struct {
	TaskID string `json:"task_id" required:"true" doc:"The task, for example task-101."`
	Reason string `json:"reason" required:"true" doc:"Why it cannot be done, so that whoever asked can do something about it."`
}

func taskFail(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[taskFailArgs]{
		Name: "task_fail", Title: "Give a task up", Description: taskFailText,
		Own: true, Replays: true, Output: taskOutput,
		Run: func(ctx context.Context, c tool.Call, args taskFailArgs) (tool.Result, error) {
			id, err := parley.ParseTaskID(args.TaskID)
			if err != nil {
				return tool.Result{}, err
			}
			if err := d.Fail(ctx, caller(c), id, args.Reason); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: id.String() + " has failed; whoever asked for it is told why.", Data: taskData(id)}, nil
		},
	})
}
