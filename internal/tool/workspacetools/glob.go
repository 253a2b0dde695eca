package workspacetools

import (
	"context"
	_ "embed"
	"strings"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed glob.md
var globText string

type globArgs struct {
	Pattern string `json:"pattern" required:"true" doc:"The pattern, relative to the workspace, such as src/**/*.go."`
	Ignored bool   `json:"ignored" doc:"Also show what .gitignore leaves out. Default: false."`
}

func glob(w *workspace.Workspace) tool.Tool {
	return tool.New(tool.Spec[globArgs]{
		Name: "glob", Title: "Find files by name", Description: globText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(args globArgs) string { return pathAction(policy.FileRead, args.Pattern) },
		Run: func(ctx context.Context, c tool.Call, args globArgs) (tool.Result, error) {
			found, err := w.Glob(ctx, args.Pattern, args.Ignored)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showPaths(found)}, nil
		},
	})
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
