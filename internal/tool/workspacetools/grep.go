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

//go:embed grep.md
var grepText string

type grepArgs struct {
	Pattern    string `json:"pattern" required:"true" doc:"A regular expression (RE2), matched with each line."`
	Path       string `json:"path" doc:"The file or folder to look in. Default: the whole workspace."`
	Include    string `json:"include" doc:"Only files whose name or path matches this pattern, such as *.go."`
	IgnoreCase bool   `json:"ignore_case" doc:"Treat capital and small letters alike. Default: false."`
	Context    int    `json:"context" doc:"How many lines to show before and after each match, at most 20. Default: 0."`
	Ignored    bool   `json:"ignored" doc:"Also look into what .gitignore leaves out. Default: false."`
}

func grep(w *workspace.Workspace) tool.Tool {
	return tool.New(tool.Spec[grepArgs]{
		Name: "grep", Title: "Search in files", Description: grepText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		// The rules are asked about where it looks; what it looks for is no path.
		Action: func(args grepArgs) string { return pathAction(policy.FileRead, args.Path) },
		Run: func(ctx context.Context, c tool.Call, args grepArgs) (tool.Result, error) {
			found, err := w.Grep(ctx, workspace.Search{Pattern: args.Pattern, Path: args.Path, Include: args.Include,
				IgnoreCase: args.IgnoreCase, Context: args.Context, All: args.Ignored})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showFound(found)}, nil
		},
	})
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
