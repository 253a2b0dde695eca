package workspacetools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed read_file.md
var readFileText string

type readFileArgs struct {
	Path  string `json:"path" required:"true" doc:"The file, relative to the workspace."`
	From  int    `json:"from_line" doc:"The first line to read, counted from 1. Default: 1."`
	Lines int    `json:"lines" doc:"How many lines to read, at most 5000. Default: 1000."`
}

func readFile(w *workspace.Workspace) tool.Tool {
	return tool.New(tool.Spec[readFileArgs]{
		Name: "read_file", Title: "Read a file", Description: readFileText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(args readFileArgs) string { return pathAction(policy.FileRead, args.Path) },
		Run: func(ctx context.Context, c tool.Call, args readFileArgs) (tool.Result, error) {
			page, err := w.ReadFile(workspace.Reading{Path: args.Path, From: args.From, Lines: args.Lines})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showPage(page)}, nil
		},
	})
}

func showPage(p workspace.Page) string {
	var b strings.Builder
	if p.Total == 0 {
		return fmt.Sprintf("%s is empty, digest %s", p.Path, p.Digest)
	}
	fmt.Fprintf(&b, "%s, lines %d-%d of %d, digest %s\n", p.Path, p.From, p.To, p.Total, p.Digest)
	for i, line := range p.Text {
		fmt.Fprintf(&b, "%6d\t%s\n", p.From+i, line)
	}
	if p.To < p.Total {
		fmt.Fprintf(&b, "(There are more lines; go on with from_line %d.)\n", p.To+1)
	}
	if p.Cut {
		b.WriteString("(Very long lines are cut.)\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
