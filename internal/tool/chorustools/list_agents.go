package chorustools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/model"
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
	return tool.Tool{
		Tool: model.Tool{Name: "list_agents", Description: listAgentsText,
			Schema: json.RawMessage(`{"type": "object", "properties": {}}`)},
		Replays: true,
		Action:  func(json.RawMessage) string { return policy.Action(policy.AgentComm, "list") },
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
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
	}
}
