package workspacetools

import (
	"context"
	_ "embed"
	"fmt"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
	"parley/internal/workspace/symbol"
)

//go:embed replace_block.md
var replaceBlockText string

type replaceBlockArgs struct {
	Path   string `json:"path" required:"true" doc:"The file, relative to the workspace."`
	Digest string `json:"digest" required:"true" doc:"The digest of the content that you have read, as read_file, list_symbols or grep have shown it."`
	Name   string `json:"name" doc:"The symbol to replace, such as Server.Run. Leave it out to replace a text."`
	Kind   string `json:"kind" doc:"The symbol's kind, such as method or struct, where the name alone is not clear."`
	Old    string `json:"old_text" doc:"The exact text to replace, instead of a symbol. It may span lines."`
	Line   int    `json:"line" doc:"The line where the symbol or the text begins, where several match."`
	New    string `json:"new_text" required:"true" doc:"What to put there. Empty removes the block."`
	Force  bool   `json:"force" doc:"Change the file although it would not parse afterwards; not for Go. Default: false."`
}

func replaceBlock(w *workspace.Workspace, a workspace.Access) tool.Tool {
	return tool.New(tool.Spec[replaceBlockArgs]{
		Name: "replace_block", Title: "Replace a block of a file", Description: replaceBlockText, Hints: tool.Hints{Destructive: true},
		Action: func(args replaceBlockArgs) string { return pathAction(policy.FileWrite, args.Path) },
		Run: func(ctx context.Context, c tool.Call, args replaceBlockArgs) (tool.Result, error) {
			changed, err := w.ReplaceBlock(a, workspace.Replacement{Path: args.Path, Digest: args.Digest,
				Symbol: symbol.Query{Kind: args.Kind, Name: args.Name, Line: args.Line}, Old: args.Old, New: args.New, Force: args.Force, Record: c.Changing})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showChanged(changed)}, nil
		},
	})
}

func showChanged(c workspace.Changed) string {
	text := fmt.Sprintf("Changed %s, lines %d-%d are new, digest %s", c.Path, c.From, c.To, c.Digest)
	if c.Note != "" {
		text += "\n" + c.Note
	}
	return text
}
