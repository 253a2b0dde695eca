package workspacetools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed write_file.md
var writeFileText string

var writeFileSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, relative to the workspace. Folders above it are made."},
		"content": {"type": "string", "description": "The whole content."},
		"digest": {"type": "string", "description": "For a file that exists: the digest of the content that you have read."}
	},
	"required": ["path", "content"]
}`)

func writeFile(w *workspace.Workspace, a workspace.Access) tool.Tool {
	return tool.Tool{
		Tool:   model.Tool{Name: "write_file", Description: writeFileText, Schema: writeFileSchema},
		Action: pathAction(policy.FileWrite),
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Path    string `json:"path"`
				Content string `json:"content"`
				Digest  string `json:"digest"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			changed, err := w.WriteFile(a, workspace.Writing{Path: args.Path, Content: args.Content, Digest: args.Digest})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showChanged(changed)}, nil
		},
	}
}
