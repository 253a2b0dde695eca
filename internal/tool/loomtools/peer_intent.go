package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_intent.md
var peerIntentText string

var peerIntentSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"intent": {"type": "string", "description": "What you are about to do."},
		"path": {"type": "string", "description": "The file that it is about, relative to the workspace."}
	},
	"required": ["intent"]
}`)

// peerIntent tells first: if it is run again, it finds what it told before, and
// says once more what it is about to do.
func peerIntent(t teller) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_intent", Description: peerIntentText, Schema: peerIntentSchema},
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Intent string `json:"intent"`
				Path   string `json:"path"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			res, err := t.tell(ctx, c, "Intent", args.Path, args.Intent, "Intent told to")
			if err != nil || args.Path == "" {
				return res, err
			}
			return res, t.claims.Intend(ctx, contacttools.Caller(c), args.Path)
		},
	}
}
