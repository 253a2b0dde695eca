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

//go:embed grep.md
var grepText string

var grepSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "A regular expression (RE2), matched with each line."},
		"path": {"type": "string", "description": "The file or folder to look in. Default: the whole workspace."},
		"include": {"type": "string", "description": "Only files whose name or path matches this pattern, such as *.go."},
		"ignore_case": {"type": "boolean", "description": "Treat capital and small letters alike. Default: false."},
		"context": {"type": "integer", "description": "How many lines to show before and after each match, at most 20. Default: 0."},
		"ignored": {"type": "boolean", "description": "Also look into what .gitignore leaves out. Default: false."}
	},
	"required": ["pattern"]
}`)

func grep(w *workspace.Workspace) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "grep", Description: grepText, Schema: grepSchema},
		Replays: true,
		Action:  grepAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Pattern    string `json:"pattern"`
				Path       string `json:"path"`
				Include    string `json:"include"`
				IgnoreCase bool   `json:"ignore_case"`
				Context    int    `json:"context"`
				Ignored    bool   `json:"ignored"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			found, err := w.Grep(ctx, workspace.Search{Pattern: args.Pattern, Path: args.Path, Include: args.Include,
				IgnoreCase: args.IgnoreCase, Context: args.Context, All: args.Ignored})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showFound(found)}, nil
		},
	}
}

// grepAction names where is looked; what for is no path.
func grepAction(raw json.RawMessage) string {
	var args struct {
		Path string `json:"path"`
	}
	_ = tool.Decode(raw, &args) // what does not fit is refused when the tool reads it
	place, _ := json.Marshal(args)
	return pathAction(policy.FileRead)(place)
}

func showFound(f workspace.Found) string {
	var b strings.Builder
	if f.Matches == 0 {
		b.WriteString("Nothing matches.\n")
	}
	for _, hits := range f.Files {
		fmt.Fprintf(&b, "%s, digest %s\n", hits.Path, hits.Digest)
		last := 0
		for _, h := range hits.Lines {
			if last > 0 && h.N > last+1 {
				b.WriteString("     …\n")
			}
			last = h.N
			fmt.Fprintf(&b, "%6d%s\t%s\n", h.N, map[bool]string{true: ":", false: " "}[h.Match], h.Text)
		}
	}
	if f.Cut {
		b.WriteString("(There are more matches; use a narrower pattern, path or include.)\n")
	}
	if f.Skipped > 0 {
		fmt.Fprintf(&b, "(Not looked into, because they are binary or larger than 1 MiB: %d.)\n", f.Skipped)
	}
	return strings.TrimRight(b.String(), "\n")
}
