package chorustools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed request_from_agent.md
var requestFromAgentText string

var requestFromAgentSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"target_agent": {"type": "string", "description": "The agent to ask, by name."},
		"task_description": {"type": "string", "description": "What it should do, and what the answer should be."},
		"timeout": {"type": "number", "description": "How many seconds to wait for the answer; the team's limit if left out."}
	},
	"required": ["target_agent", "task_description"]
}`)

// maxTimeout is as long as a delegation lives by default; an ask at the HTTP API
// has the same bound.
const maxTimeout = 7 * 24 * time.Hour

func requestFromAgent(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "request_from_agent", Description: requestFromAgentText, Schema: requestFromAgentSchema},
		Replays: true, Contacts: true, Peer: "target_agent",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			r, err := decodeRequest(c)
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
	}
}

func decodeRequest(c tool.Call) (r contact.Request, err error) {
	var args struct {
		Target  string   `json:"target_agent"`
		Task    string   `json:"task_description"`
		Timeout *float64 `json:"timeout"`
	}
	if err := tool.Decode(c.Args, &args); err != nil {
		return r, err
	}
	r = contact.Request{Target: args.Target, Message: args.Task, Key: c.Key}
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
