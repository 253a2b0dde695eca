package chorustools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed list_agents.md
var listAgentsText string

// listed is an agent as the list shows it.
type listed struct {
	Name        string `json:"name"`
	Model       string `json:"model"`
	Status      string `json:"status"`
	Reason      string `json:"reason,omitempty"`
	Description string `json:"description"`
}

func listAgents(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[struct{}]{
		Name: "list_agents", Title: "List the agents", Description: listAgentsText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(struct{}) string { return policy.Action(policy.AgentComm, "list") },
		Run: func(ctx context.Context, c tool.Call, _ struct{}) (tool.Result, error) {
			others, err := read.Others(ctx, contacttools.Caller(c))
			if err != nil {
				return tool.Result{}, err
			}
			list := make([]listed, len(others))
			for i, a := range others {
				list[i] = listed{a.Name, a.Model, string(a.Status), a.Reason, a.Description}
			}
			text, err := json.Marshal(map[string][]listed{"agents": list})
			return tool.Result{Text: string(text)}, err
		},
	})
}
