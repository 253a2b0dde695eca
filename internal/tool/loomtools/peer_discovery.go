package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed peer_discovery.md
var peerDiscoveryText string

var peerDiscoverySchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"finding": {"type": "string", "description": "What you found out."},
		"path": {"type": "string", "description": "The file that it is about, relative to the workspace."}
	},
	"required": ["finding"]
}`)

func peerDiscovery(t teller) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_discovery", Description: peerDiscoveryText, Schema: peerDiscoverySchema},
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Finding string `json:"finding"`
				Path    string `json:"path"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			return t.tell(ctx, c, "Discovery", args.Path, args.Finding, "Discovery shared with")
		},
	}
}
