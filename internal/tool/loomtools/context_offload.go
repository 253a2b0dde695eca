package loomtools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/keeper"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed context_offload.md
var contextOffloadText string

type contextOffloadArgs struct {
	Topic string `json:"topic" required:"true" doc:"A short label for what is put away, for example 'auth implementation'."`
	Count *int   `json:"message_count" doc:"How many of the oldest messages, 500 at most; about a third, up to the end of a topic, if left out."`
	Share string `json:"share" enum:"team" doc:"'team' lets everyone in the team find it; left out, those who may read this conversation."`
}

func contextOffload(keepers *keeper.Service) tool.Tool {
	return newTool(tool.Spec[contextOffloadArgs]{
		Name: "context_offload", Title: "Put context away", Description: contextOffloadText,
		Replays: true,
		Action:  contextOffloadAction,
		Run: func(ctx context.Context, c tool.Call, args contextOffloadArgs) (tool.Result, error) {
			o, err := args.offloading(ctx, c)
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
	})
}

// contextOffloadAction names the call for the rules: to let the whole team read
// is more than to put away.
func contextOffloadAction(args contextOffloadArgs) string {
	if args.Share != "" {
		return policy.Action(policy.KeeperOp, "share")
	}
	return policy.Action(policy.KeeperOp, "offload")
}

func (args contextOffloadArgs) offloading(ctx context.Context, c tool.Call) (o keeper.Offloading, err error) {
	o = keeper.Offloading{Topic: args.Topic, Key: c.Key, Share: args.Share == "team"}
	if args.Share != "" && !o.Share {
		return o, parley.Errorf(parley.Invalid, "Unknown value of share: %q.", parley.Clip(args.Share, 40)).WithHint("Use 'team', or leave it out.")
	}
	if args.Count != nil {
		if o.Count = *args.Count; o.Count < 1 {
			return o, parley.Errorf(parley.Invalid, "message_count is 1 or more.").WithHint("Leave it out to put away what is oldest.")
		}
	}
	o.Said, o.Total, err = c.Unkept(ctx)
	return o, err
}
