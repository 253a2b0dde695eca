package loomtools

import (
	"context"
	_ "embed"

	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_intent.md
var peerIntentText string

type peerIntentArgs struct {
	Intent string `json:"intent" required:"true" doc:"What you are about to do."`
	Path   string `json:"path" doc:"The file that it is about, relative to the workspace."`
}

// peerIntent tells first: if it is run again, it finds what it told before, and
// says once more what it is about to do.
func peerIntent(t teller) tool.Tool {
	return newTool(tool.Spec[peerIntentArgs]{
		Name: "peer_intent", Title: "Announce an intent", Description: peerIntentText,
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call, args peerIntentArgs) (tool.Result, error) {
			res, err := t.tell(ctx, c, "Intent", args.Path, args.Intent, "Intent told to")
			if err != nil || args.Path == "" {
				return res, err
			}
			return res, t.claims.Intend(ctx, contacttools.Caller(c), args.Path)
		},
	})
}
