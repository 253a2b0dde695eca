package workspacetools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

//go:embed read_file.md
var readFileText string

var readFileSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, relative to the workspace."},
		"from_line": {"type": "integer", "description": "The first line to read, counted from 1. Default: 1."},
		"lines": {"type": "integer", "description": "How many lines to read, at most 5000. Default: 1000."}
	},
	"required": ["path"]
}`)

func readFile(w *workspace.Workspace) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "read_file", Description: readFileText, Schema: readFileSchema},
		Replays: true,
		Action:  pathAction(policy.FileRead),
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Path  string `json:"path"`
				From  int    `json:"from_line"`
				Lines int    `json:"lines"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			page, err := w.ReadFile(workspace.Reading{Path: args.Path, From: args.From, Lines: args.Lines})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showPage(page)}, nil
		},
	}
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
