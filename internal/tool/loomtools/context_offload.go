package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/keeper"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed context_offload.md
var contextOffloadText string

var contextOffloadSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"topic": {"type": "string", "description": "A short label for what is put away, for example 'auth implementation'."},
		"message_count": {"type": "integer", "description": "How many of the oldest messages; about a third, up to the end of a topic, if left out."},
		"share": {"type": "string", "enum": ["team"], "description": "'team' lets everyone in the team find it; left out, those who may read this conversation."}
	},
	"required": ["topic"]
}`)

type contextOffloadArgs struct {
	Topic string `json:"topic"`
	Count *int   `json:"message_count"`
	Share string `json:"share"`
}

func contextOffload(keepers *keeper.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "context_offload", Description: contextOffloadText, Schema: contextOffloadSchema},
		Replays: true,
		Action:  contextOffloadAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			o, err := decodeOffloading(c)
			if err != nil {
				return tool.Result{}, err
			}
			k, made, err := keepers.Offload(ctx, contacttools.Caller(c), o)
			if err != nil {
				return tool.Result{}, err
			}
			if !made {
				return tool.Result{Text: parley.NothingToOffload}, nil
			}
			return tool.Result{Text: parley.OffloadedText(k)}, nil
		},
	}
}

// contextOffloadAction names the call for the rules: to let the whole team read
// is more than to put away.
func contextOffloadAction(args json.RawMessage) string {
	var a contextOffloadArgs
	_ = tool.Decode(args, &a) // what cannot be read is refused when the tool runs
	if a.Share != "" {
		return policy.Action(policy.KeeperOp, "share")
	}
	return policy.Action(policy.KeeperOp, "offload")
}

func decodeOffloading(c tool.Call) (o keeper.Offloading, err error) {
	var args contextOffloadArgs
	if err := tool.Decode(c.Args, &args); err != nil {
		return o, err
	}
	o = keeper.Offloading{Topic: args.Topic, Key: c.Key, Share: args.Share == "team", Said: c.Said()}
	if args.Share != "" && !o.Share {
		return o, parley.Errorf(parley.Invalid, "Unknown value of share: %q.", parley.Clip(args.Share, 40)).WithHint("Use 'team', or leave it out.")
	}
	if args.Count != nil {
		if o.Count = *args.Count; o.Count < 1 {
			return o, parley.Errorf(parley.Invalid, "message_count is 1 or more.").WithHint("Leave it out to put away what is oldest.")
		}
	}
	return o, nil
}
