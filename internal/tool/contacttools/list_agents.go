package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

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
		Action:  func(json.RawMessage) string { return policy.Action(policy.AgentComm, "list") },
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			list, err := read.Agents(ctx, Caller(c))
			if err != nil {
				return tool.Result{}, err
			}
			var b strings.Builder
			for _, a := range list {
				if a.ID == c.Lease.Agent {
					continue
				}
				fmt.Fprintf(&b, "%s (%s, %s)", a.Name, a.Kind, a.Status)
				if a.Description != "" {
					fmt.Fprintf(&b, ": %s", a.Description)
				}
				b.WriteByte('\n')
			}
			if b.Len() == 0 {
				return tool.Result{Text: "There are no other agents in your team."}, nil
			}
			return tool.Result{Text: strings.TrimRight(b.String(), "\n")}, nil
		},
	}
}
