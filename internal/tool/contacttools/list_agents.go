package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed list_agents.md
var listAgentsText string

func listAgents(read *reading.Service) tool.Tool {
	return tool.Tool{
		Tool: model.Tool{Name: "list_agents", Description: listAgentsText,
			Schema: json.RawMessage(`{"type": "object", "properties": {}}`)},
		Replays: true,
		Action:  listAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			return describeOthers(ctx, read, c)
		},
	}
}

func listAction(json.RawMessage) string { return policy.Action(policy.AgentComm, "list") }

// describeOthers is a line for each of the others.
func describeOthers(ctx context.Context, read *reading.Service, c tool.Call) (tool.Result, error) {
	list, err := read.Others(ctx, Caller(c))
	if err != nil {
		return tool.Result{}, err
	}
	if len(list) == 0 {
		return tool.Result{Text: "There are no other agents in your team."}, nil
	}
	lines := make([]string, len(list))
	for i, a := range list {
		lines[i] = describe(a)
	}
	return tool.Result{Text: strings.Join(lines, "\n")}, nil
}

func describe(a reading.Agent) string {
	about := []string{string(a.Kind)}
	if a.Model != "" {
		about = append(about, a.Model)
	}
	line := a.Name + " (" + strings.Join(append(about, a.Status.Because(a.Reason)), ", ") + ")"
	if a.Description != "" {
		line += ": " + parley.Quote(a.Description)
	}
	return line
}
