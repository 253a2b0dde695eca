package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed peer_plan_revision.md
var peerPlanRevisionText string

var peerPlanRevisionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"change": {"type": "string", "description": "What is different now."},
		"reason": {"type": "string", "description": "Why it changed."},
		"path": {"type": "string", "description": "The file that it is about, relative to the workspace."}
	},
	"required": ["change", "reason"]
}`)

func peerPlanRevision(t teller) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_plan_revision", Description: peerPlanRevisionText, Schema: peerPlanRevisionSchema},
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Change string `json:"change"`
				Reason string `json:"reason"`
				Path   string `json:"path"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			text := args.Change
			if args.Reason != "" {
				text += "\n\nReason: " + args.Reason
			}
			return t.tell(ctx, c, "Plan revision", args.Path, text, "Plan revision told to")
		},
	}
}
