package workspacetools

import (
	"context"
	_ "embed"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed write_file.md
var writeFileText string

type writeFileArgs struct {
	Path    string `json:"path" required:"true" doc:"The file, relative to the workspace. Folders above it are made."`
	Content string `json:"content" required:"true" doc:"The whole content."`
	Digest  string `json:"digest" doc:"For a file that exists: the digest of the content that you have read."`
}

func writeFile(w *workspace.Workspace, a workspace.Access) tool.Tool {
	return tool.New(tool.Spec[writeFileArgs]{
		Name: "write_file", Title: "Write a file", Description: writeFileText, Hints: tool.Hints{Destructive: true},
		Action: func(args writeFileArgs) string { return pathAction(policy.FileWrite, args.Path) },
		Run: func(ctx context.Context, c tool.Call, args writeFileArgs) (tool.Result, error) {
			changed, err := w.WriteFile(a, workspace.Writing{Path: args.Path, Content: args.Content, Digest: args.Digest, Record: c.Changing})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showChanged(changed)}, nil
		},
	})
}
