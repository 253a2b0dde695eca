package contacttools

import (
	"context"
	_ "embed"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed list_agents.md
var listAgentsText string

func listAgents(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[struct{}]{
		Name: "list_agents", Title: "List the agents", Description: listAgentsText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(struct{}) string { return listAction() },
		Run: func(ctx context.Context, c tool.Call, _ struct{}) (tool.Result, error) {
			return describeOthers(ctx, read, c)
		},
	})
}

// listAction names the call for the rules.
func listAction() string { return policy.Action(policy.AgentComm, "list") }

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
	line := a.Name + " (" + strings.Join(append(about, parley.Entry(a.Status.Because(a.Reason))), ", ") + ")"
	if a.Description != "" {
		line += ": " + parley.Entry(a.Description)
	}
	return line
}
