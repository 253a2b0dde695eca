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
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed call_agent.md
var callAgentText string

type callAgentArgs struct {
	Target     string          `json:"target" alias:"agentId,target_agent" required:"true" doc:"The agent to call, by name."`
	Task       string          `json:"task" alias:"task_description" required:"true" doc:"What it should do, and what the result should be."`
	ThreadMode string          `json:"thread_mode" enum:"new,reuse" doc:"new if left out."`
	ThreadID   string          `json:"thread_id" doc:"With reuse: which thread; the latest if left out."`
	Context    json.RawMessage `json:"context" type:"object" doc:"Files, facts and whatever else the agent needs."`
}

// New makes the toolset.
func New(contacts *contact.Service, dir *directory.Directory) []tool.Tool {
	return []tool.Tool{callAgent(contacts, dir)}
}

func callAgent(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.New(tool.Spec[callAgentArgs]{
		Name: "call_agent", Title: "Call an agent", Description: callAgentText,
		Replays: true, Contacts: true,
		Peer: func(a callAgentArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args callAgentArgs) (tool.Result, error) {
			r, err := args.request(c.Key)
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
	})
}

func (args callAgentArgs) request(key string) (r contact.Request, err error) {
	r = contact.Request{Target: args.Target, Message: args.Task, Key: key}
	if s := string(args.Context); s != "" && s != "{}" {
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
