package workspacetools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed glob.md
var globText string

var globSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "The pattern, relative to the workspace, such as src/**/*.go."},
		"ignored": {"type": "boolean", "description": "Also show what .gitignore leaves out. Default: false."}
	},
	"required": ["pattern"]
}`)

func glob(w *workspace.Workspace) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "glob", Description: globText, Schema: globSchema},
		Replays: true,
		Action:  pathAction(policy.FileRead),
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Pattern string `json:"pattern"`
				Ignored bool   `json:"ignored"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			found, err := w.Glob(ctx, args.Pattern, args.Ignored)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showPaths(found)}, nil
		},
	}
}

func showPaths(p workspace.Paths) string {
	if len(p.List) == 0 {
		return "Nothing matches. ** stands for any folders; what .gitignore leaves out is shown with ignored."
	}
	text := strings.Join(p.List, "\n")
	if p.Cut {
		text += "\n(There are more; use a narrower pattern.)"
	}
	return text
}
