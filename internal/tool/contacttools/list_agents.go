package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

//go:embed list_agents.md
var listAgentsText string

func listAgents(st store.Store, dir *directory.Directory) tool.Tool {
	return tool.Tool{
		Tool: model.Tool{Name: "list_agents", Description: listAgentsText,
			Schema: json.RawMessage(`{"type": "object", "properties": {}}`)},
		Replays: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			list, err := directory.List(ctx, st, dir, c.Lease.Team)
			if err != nil {
				return tool.Result{}, err
			}
			var b strings.Builder
			for _, a := range list {
				if a.ID == c.Lease.Agent || a.Removed {
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
