package contacttools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed query_workspace.md
var queryWorkspaceText string

type queryWorkspaceArgs struct {
	Action string `json:"action" required:"true" enum:"list_agents" doc:"What to look up."`
}

// queryWorkspace is another name for list_agents: there is nothing else yet that
// it could look up, so that is what the rules are asked about.
func queryWorkspace(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[queryWorkspaceArgs]{
		Name: "query_workspace", Title: "Look something up about the team", Description: queryWorkspaceText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(queryWorkspaceArgs) string { return listAction() },
		Run: func(ctx context.Context, c tool.Call, args queryWorkspaceArgs) (tool.Result, error) {
			if args.Action != "list_agents" {
				return tool.Result{}, parley.Errorf(parley.Invalid, "Unknown action %q.", parley.Clip(args.Action, 64)).
					WithHint("Use 'list_agents'.")
			}
			return describeOthers(ctx, read, c)
		},
	})
}
