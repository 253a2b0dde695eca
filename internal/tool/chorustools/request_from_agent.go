package chorustools

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed request_from_agent.md
var requestFromAgentText string

type requestFromAgentArgs struct {
	Target  string   `json:"target_agent" alias:"agentId,target" required:"true" doc:"The agent to ask, by name."`
	Task    string   `json:"task_description" alias:"task" required:"true" doc:"What it should do, and what the answer should be."`
	Timeout *float64 `json:"timeout" doc:"How many seconds to wait for the answer; the team's limit if left out."`
}

// maxTimeout is as long as a delegation lives by default; an ask at the HTTP API
// has the same bound.
const maxTimeout = 7 * 24 * time.Hour

func requestFromAgent(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.New(tool.Spec[requestFromAgentArgs]{
		Name: "request_from_agent", Title: "Ask an agent and wait", Description: requestFromAgentText,
		Replays: true, Contacts: true,
		Peer: func(a requestFromAgentArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args requestFromAgentArgs) (tool.Result, error) {
			r, err := args.request(c.Key)
			if err != nil {
				return tool.Result{}, err
			}
			if err := other(dir, c, r.Target); err != nil {
				return tool.Result{}, err
			}
			a, err := contacts.Ask(ctx, contacttools.Caller(c), r)
			if err != nil {
				return tool.Result{}, late(a, err)
			}
			return contacttools.Answered(a), nil
		},
	})
}

func (args requestFromAgentArgs) request(key string) (contact.Request, error) {
	r := contact.Request{Target: args.Target, Message: args.Task, Key: key}
	if args.Timeout == nil {
		return r, nil
	}
	if s := *args.Timeout; s <= 0 || s > maxTimeout.Seconds() {
		return r, parley.Errorf(parley.Invalid, "The timeout is not a number of seconds from 0 to %.0f.", maxTimeout.Seconds()).
			WithHint("Leave it out for the team's limit.")
	}
	r.Timeout = time.Duration(*args.Timeout * float64(time.Second))
	return r, nil
}

// late tells what becomes of an answer that did not come in time: this set has no
// await_task to fetch it with.
func late(a contact.Response, err error) error {
	var over *parley.Error
	if !errors.As(err, &over) || over.Kind != parley.Timeout {
		return err
	}
	return over.WithHint("Its work goes on as %s; if you still work on your task then, you receive the answer.", a.Task.ID)
}
