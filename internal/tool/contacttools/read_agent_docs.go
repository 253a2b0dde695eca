package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed read_agent_docs.md
var readAgentDocsText string

var readAgentDocsSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"target_agent": {"type": "string", "description": "The agent whose docs to read, by name."}},
	"required": ["target_agent"]
}`)

// ReadAgentDocs is a tool of this set and of chorus.
func ReadAgentDocs(read *reading.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "read_agent_docs", Description: readAgentDocsText, Schema: readAgentDocsSchema},
		Replays: true,
		Action:  docsAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			name, err := docsTarget(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			docs, err := read.Docs(ctx, Caller(c), name)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showDocs(docs)}, nil
		},
	}
}

// docsAction names the call for the rules. Arguments that name nobody are
// refused when the tool reads them.
func docsAction(args json.RawMessage) string {
	name, _ := docsTarget(args)
	return policy.Action(policy.AgentComm, "read_docs "+name)
}

func docsTarget(raw json.RawMessage) (string, error) {
	var args struct {
		Target string `json:"target_agent"`
	}
	err := tool.Decode(raw, &args)
	return args.Target, err
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
