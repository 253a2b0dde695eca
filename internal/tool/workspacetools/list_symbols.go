package workspacetools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed list_symbols.md
var listSymbolsText string

var listSymbolsSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, relative to the workspace."}
	},
	"required": ["path"]
}`)

func listSymbols(w *workspace.Workspace) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "list_symbols", Description: listSymbolsText, Schema: listSymbolsSchema},
		Replays: true,
		Action:  pathAction(policy.FileRead),
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Path string `json:"path"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			digest, list, err := w.Symbols(args.Path)
			if err != nil {
				return tool.Result{}, err
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s, digest %s, symbols: %d\n", path.Clean(args.Path), digest, len(list))
			for _, s := range list {
				fmt.Fprintf(&b, "%d-%d\t%s %s\n", s.Line, s.End, s.Kind, s.Name)
			}
			return tool.Result{Text: strings.TrimRight(b.String(), "\n")}, nil
		},
	}
}
