package desktools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/desk"
	"parley/internal/tool"
)

//go:embed my_tasks.md
var myTasksText string

func myTasks(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[struct{}]{
		Name: "my_tasks", Title: "List your tasks", Description: myTasksText, Hints: tool.Hints{ReadOnly: true},
		Own: true, Replays: true, Output: tasksOutput,
		Run: func(ctx context.Context, c tool.Call, _ struct{}) (tool.Result, error) {
			list, err := d.Tasks(ctx, caller(c))
			if err != nil {
				return tool.Result{}, err
			}
			return describeTasks(list), nil
		},
	})
}

func describeTasks(list []parley.Task) tool.Result {
	lines, data := make([]string, len(list)), make([]map[string]any, len(list))
	for i, t := range list {
		lines[i] = fmt.Sprintf("%s (%s, priority %s), asked in %s", t.ID, t.State, t.Priority, t.Request)
		data[i] = map[string]any{"task": t.ID.String(), "state": t.State.String(), "priority": t.Priority.String(), "message": t.Request.String()}
	}
	text := strings.Join(lines, "\n")
	if len(list) == 0 {
		text = "You have no open tasks."
	}
	return tool.Result{Text: text, Data: map[string]any{"tasks": data}}
}

var tasksOutput = json.RawMessage(`{"properties":{"tasks":{"type":"array","items":{"type":"object","properties":{` +
	`"task":{"type":"string"},"state":{"type":"string"},"priority":{"type":"string"},"message":{"type":"string","description":"The message that asks for it."}},` +
	`"required":["task","state","priority","message"]}}}}`)
