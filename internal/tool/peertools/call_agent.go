// Package peertools is the toolset "peers": agents that call each other as
// equals, each call in a thread of its own.
package peertools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed call_agent.md
var callAgentText string

var callAgentSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"target": {"type": "string", "description": "The agent to call, by name."},
		"task": {"type": "string", "description": "What it should do, and what the result should be."},
		"thread_mode": {"type": "string", "enum": ["new", "reuse"], "description": "new if left out."},
		"thread_id": {"type": "string", "description": "With reuse: which thread; the latest if left out."},
		"context": {"type": "object", "description": "Files, facts and whatever else the agent needs."}
	},
	"required": ["target", "task"]
}`)

// New makes the toolset.
func New(contacts *contact.Service, dir *directory.Directory) []tool.Tool {
	return []tool.Tool{callAgent(contacts, dir)}
}

func callAgent(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "call_agent", Description: callAgentText, Schema: callAgentSchema},
		Replays: true, Contacts: true, Peer: "target",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			r, err := decodeCall(c)
			if err != nil {
				return tool.Result{}, err
			}
			r.Timeout = dir.Limits(c.Lease.Agent).CallTimeout
			a, err := contacts.Ask(ctx, contacttools.Caller(c), r)
			if err != nil {
				return tool.Result{}, err
			}
			res := contacttools.Answered(a)
			res.Text += fmt.Sprintf("\n\n(%s)", a.Task.Thread)
			return res, nil
		},
	}
}

func decodeCall(c tool.Call) (r contact.Request, err error) {
	var args struct {
		Target     string          `json:"target"`
		Task       string          `json:"task"`
		ThreadMode string          `json:"thread_mode"`
		ThreadID   string          `json:"thread_id"`
		Context    json.RawMessage `json:"context"`
	}
	if err := tool.Decode(c.Args, &args); err != nil {
		return r, err
	}
	r = contact.Request{Target: args.Target, Message: args.Task, Key: c.Key}
	if s := string(args.Context); s != "" && s != "null" && s != "{}" {
		r.Context = s
	}
	switch args.ThreadMode {
	case "", "new":
		r.Thread.New = true
	case "reuse":
		r.Thread.Reuse = true
	default:
		return r, parley.Errorf(parley.Invalid, "Unknown thread_mode %q.", args.ThreadMode).WithHint("Use 'new' or 'reuse'.")
	}
	if args.ThreadID != "" && r.Thread.Reuse {
		r.Thread.ID, err = parley.ParseThreadID(args.ThreadID)
	}
	return r, err
}
