package workspacetools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
	"parley/internal/workspace/symbol"
)

//go:embed replace_block.md
var replaceBlockText string

var replaceBlockSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, relative to the workspace."},
		"digest": {"type": "string", "description": "The digest of the content that you have read, as read_file, list_symbols or grep have shown it."},
		"name": {"type": "string", "description": "The symbol to replace, such as Server.Run. Leave it out to replace a text."},
		"kind": {"type": "string", "description": "The symbol's kind, such as method or struct, where the name alone is not clear."},
		"old_text": {"type": "string", "description": "The exact text to replace, instead of a symbol. It may span lines."},
		"line": {"type": "integer", "description": "The line where the symbol or the text begins, where several match."},
		"new_text": {"type": "string", "description": "What to put there. Empty removes the block."},
		"force": {"type": "boolean", "description": "Change the file although it would not parse afterwards; not for Go. Default: false."}
	},
	"required": ["path", "digest", "new_text"]
}`)

func replaceBlock(w *workspace.Workspace, a workspace.Access) tool.Tool {
	return tool.Tool{
		Tool:   model.Tool{Name: "replace_block", Description: replaceBlockText, Schema: replaceBlockSchema},
		Action: pathAction(policy.FileWrite),
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Path   string `json:"path"`
				Digest string `json:"digest"`
				Name   string `json:"name"`
				Kind   string `json:"kind"`
				Old    string `json:"old_text"`
				Line   int    `json:"line"`
				New    string `json:"new_text"`
				Force  bool   `json:"force"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			changed, err := w.ReplaceBlock(a, workspace.Replacement{Path: args.Path, Digest: args.Digest,
				Symbol: symbol.Query{Kind: args.Kind, Name: args.Name, Line: args.Line}, Old: args.Old, New: args.New, Force: args.Force})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showChanged(changed)}, nil
		},
	}
}

func showChanged(c workspace.Changed) string {
	text := fmt.Sprintf("Changed %s, lines %d-%d are new, digest %s", c.Path, c.From, c.To, c.Digest)
	if c.Note != "" {
		text += "\n" + c.Note
	}
	return text
}
