package workspacetools

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed list_symbols.md
var listSymbolsText string

type listSymbolsArgs struct {
	Path string `json:"path" required:"true" doc:"The file, relative to the workspace."`
}

func listSymbols(w *workspace.Workspace) tool.Tool {
	return tool.New(tool.Spec[listSymbolsArgs]{
		Name: "list_symbols", Title: "List the symbols of a file", Description: listSymbolsText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(args listSymbolsArgs) string { return pathAction(policy.FileRead, args.Path) },
		Run: func(ctx context.Context, c tool.Call, args listSymbolsArgs) (tool.Result, error) {
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
	})
}
