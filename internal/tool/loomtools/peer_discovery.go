package loomtools

import (
	"context"
	_ "embed"

	"parley/internal/tool"
)

//go:embed peer_discovery.md
var peerDiscoveryText string

type peerDiscoveryArgs struct {
	Finding string `json:"finding" required:"true" doc:"What you found out."`
	Path    string `json:"path" doc:"The file that it is about, relative to the workspace."`
}

func peerDiscovery(t teller) tool.Tool {
	return newTool(tool.Spec[peerDiscoveryArgs]{
		Name: "peer_discovery", Title: "Share a discovery", Description: peerDiscoveryText,
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call, args peerDiscoveryArgs) (tool.Result, error) {
			return t.tell(ctx, c, "Discovery", args.Path, args.Finding, "Discovery shared with")
		},
	})
}
