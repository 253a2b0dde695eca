package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_create_task.md
var peerCreateTaskText string

var peerCreateTaskSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"title": {"type": "string", "description": "What is to be done, in a few words."},
		"description": {"type": "string", "description": "Everything that is needed to do it."},
		"target": {"type": "string", "description": "Who does it, by name."},
		"role": {"type": "string", "description": "Instead of target: the least busy agent of this role does it."},
		"depends_on": {"type": "array", "items": {"type": "string"}, "description": "Tasks that must be completed first, such as task-101."},
		"path": {"type": "string", "description": "The file that it is about, relative to the workspace."}
	},
	"required": ["title", "description"]
}`)

func peerCreateTask(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_create_task", Description: peerCreateTaskText, Schema: peerCreateTaskSchema},
		Replays: true, Contacts: true, Peer: "target",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			n, err := decodeTask(c)
			if err != nil {
				return tool.Result{}, err
			}
			made, err := contacts.CreateTask(ctx, contacttools.Caller(c), n)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: contact.CreatedText(made, n.After)}, nil
		},
	}
}

func decodeTask(c tool.Call) (n contact.NewTask, err error) {
	var args struct {
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Target      string   `json:"target"`
		Role        string   `json:"role"`
		DependsOn   []string `json:"depends_on"`
		Path        string   `json:"path"`
	}
	if err := tool.Decode(c.Args, &args); err != nil {
		return n, err
	}
	n = contact.NewTask{Title: args.Title, Description: args.Description, Target: args.Target, Role: args.Role, Path: args.Path, Key: c.Key}
	for _, text := range args.DependsOn {
		id, err := parley.ParseTaskID(text)
		if err != nil {
			return n, err
		}
		n.After = append(n.After, id)
	}
	return n, nil
}
