package loomtools

import (
	"context"
	_ "embed"

	"parley/internal/tool"
)

//go:embed peer_plan_revision.md
var peerPlanRevisionText string

type peerPlanRevisionArgs struct {
	Change string `json:"change" required:"true" doc:"What is different now."`
	Reason string `json:"reason" required:"true" doc:"Why it changed."`
	Path   string `json:"path" doc:"The file that it is about, relative to the workspace."`
}

func peerPlanRevision(t teller) tool.Tool {
	return newTool(tool.Spec[peerPlanRevisionArgs]{
		Name: "peer_plan_revision", Title: "Announce a change of plan", Description: peerPlanRevisionText,
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call, args peerPlanRevisionArgs) (tool.Result, error) {
			text := args.Change
			if args.Reason != "" {
				text += "\n\nReason: " + args.Reason
			}
			return t.tell(ctx, c, "Plan revision", args.Path, text, "Plan revision told to")
		},
	})
}
