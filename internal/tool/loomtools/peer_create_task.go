package loomtools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_create_task.md
var peerCreateTaskText string

type peerCreateTaskArgs struct {
	Title       string   `json:"title" required:"true" doc:"What is to be done, in a few words."`
	Description string   `json:"description" required:"true" doc:"Everything that is needed to do it."`
	Target      string   `json:"target" alias:"agentId,target_agent" doc:"Who does it, by name."`
	Role        string   `json:"role" doc:"Instead of target: the least busy agent of this role does it."`
	DependsOn   []string `json:"depends_on" doc:"Tasks that must be completed first, such as task-101."`
	Path        string   `json:"path" doc:"The file that it is about, relative to the workspace."`
}

func peerCreateTask(contacts *contact.Service) tool.Tool {
	return newTool(tool.Spec[peerCreateTaskArgs]{
		Name: "peer_create_task", Title: "Create a task", Description: peerCreateTaskText,
		Replays: true, Contacts: true,
		Peer: func(a peerCreateTaskArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args peerCreateTaskArgs) (tool.Result, error) {
			n, err := args.task(c.Key)
			if err != nil {
				return tool.Result{}, err
			}
			made, err := contacts.CreateTask(ctx, contacttools.Caller(c), n)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: contact.CreatedText(made, n.After)}, nil
		},
	})
}

func (args peerCreateTaskArgs) task(key string) (contact.NewTask, error) {
	n := contact.NewTask{Title: args.Title, Description: args.Description, Target: args.Target, Role: args.Role, Path: args.Path, Key: key}
	for _, text := range args.DependsOn {
		id, err := parley.ParseTaskID(text)
		if err != nil {
			return n, err
		}
		n.After = append(n.After, id)
	}
	return n, nil
}
