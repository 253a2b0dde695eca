package loomtools

import (
	"context"
	_ "embed"
	"strings"

	"parley"
	"parley/internal/keeper"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

// Outside are the tools of the set that are different for whoever works outside of the
// hub: their conversation is not here.
func Outside(keepers *keeper.Service) []tool.Tool {
	return []tool.Tool{contextOffloadOutside(keepers)}
}

//go:embed context_offload_outside.md
var contextOffloadOutsideText string

type contextOffloadOutsideArgs struct {
	Topic    string   `json:"topic" required:"true" doc:"A short label for what is put away, for example 'auth implementation'."`
	Messages []string `json:"messages" required:"true" doc:"The messages, oldest first, each with who said it: 'user: …', 'assistant: …' or 'tool: …'."`
	Share    string   `json:"share" enum:"team" doc:"'team' lets everyone in the team find it; left out, only you."`
}

func contextOffloadOutside(keepers *keeper.Service) tool.Tool {
	return newTool(tool.Spec[contextOffloadOutsideArgs]{
		Name: "context_offload", Title: "Put context away", Description: contextOffloadOutsideText,
		Replays: true,
		Action: func(a contextOffloadOutsideArgs) string {
			return contextOffloadAction(contextOffloadArgs{Share: a.Share})
		},
		Run: func(ctx context.Context, c tool.Call, args contextOffloadOutsideArgs) (tool.Result, error) {
			o := keeper.Offloading{Topic: args.Topic, Key: c.Key, Share: args.Share == "team", Count: len(args.Messages)}
			if args.Share != "" && !o.Share {
				return tool.Result{}, parley.Errorf(parley.Invalid, "Unknown value of share: %q.", parley.Clip(args.Share, 40)).WithHint("Use 'team', or leave it out.")
			}
			var roles, contents []string
			for _, m := range args.Messages {
				role, content, _ := strings.Cut(m, ":")
				roles, contents = append(roles, strings.TrimSpace(role)), append(contents, strings.TrimSpace(content))
			}
			var err error
			if o.Said, err = keeper.Passed(contacttools.Caller(c), roles, contents); err != nil {
				return tool.Result{}, err
			}
			k, made, err := keepers.Offload(ctx, contacttools.Caller(c), o)
			switch {
			case err != nil:
				return tool.Result{}, err
			case !made:
				return tool.Result{Text: parley.NothingToOffload}, nil
			}
			return tool.Result{Text: parley.OffloadedText(k)}, nil
		},
	})
}
