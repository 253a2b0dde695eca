package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/model"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed query_workspace.md
var queryWorkspaceText string

var queryWorkspaceSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"action": {"type": "string", "enum": ["list_agents"], "description": "What to look up."}},
	"required": ["action"]
}`)

// queryWorkspace is another name for list_agents: there is nothing else yet that
// it could look up, so that is what the rules are asked about.
func queryWorkspace(read *reading.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "query_workspace", Description: queryWorkspaceText, Schema: queryWorkspaceSchema},
		Replays: true,
		Action:  listAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Action string `json:"action"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			if args.Action != "list_agents" {
				return tool.Result{}, parley.Errorf(parley.Invalid, "Unknown action %q.", parley.Clip(args.Action, 64)).
					WithHint("Use 'list_agents'.")
			}
			return describeOthers(ctx, read, c)
		},
	}
}
