package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed read_agent_docs.md
var readAgentDocsText string

type readAgentDocsArgs struct {
	Target string `json:"target_agent" alias:"agentId,target" required:"true" doc:"The agent whose docs to read, by name."`
}

// ReadAgentDocs is a tool of this set and of chorus.
func ReadAgentDocs(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[readAgentDocsArgs]{
		Name: "read_agent_docs", Title: "Read an agent's docs", Description: readAgentDocsText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(args readAgentDocsArgs) string { return policy.Action(policy.AgentComm, "read_docs "+args.Target) },
		Run: func(ctx context.Context, c tool.Call, args readAgentDocsArgs) (tool.Result, error) {
			docs, err := read.Docs(ctx, Caller(c), args.Target)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showDocs(docs)}, nil
		},
	})
}

// showDocs puts the files below each other, each under its name. What they say is
// somebody's text and is quoted like one.
func showDocs(d reading.Docs) string {
	if len(d.Files) == 0 {
		return d.Agent + " has no docs. Ask it what you want to know."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Docs of %s:\n", d.Agent)
	for _, f := range d.Files {
		fmt.Fprintf(&b, "\n--- %s ---\n%s\n", parley.Clip(f.Name, 200), parley.Quote(strings.TrimSpace(f.Text)))
		if f.Cut {
			b.WriteString("(This file is longer; this is its beginning.)\n")
		}
	}
	if d.Cut {
		b.WriteString("\n(There are more files; this is as much as is shown at once.)\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
