package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed deny_action.md
var denyActionText string

var denyActionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"approval_id": {"type": "string", "description": "The approval, for example approval-7."},
		"reason": {"type": "string", "description": "Why; the agent reads it."}
	},
	"required": ["approval_id", "reason"]
}`)

func denyAction(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "deny_action", Description: denyActionText, Schema: denyActionSchema},
		Replays: true,
		Action:  func(args json.RawMessage) string { return approvalAction("deny", args) },
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			d, err := decodeDecision(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			if err := contacts.Deny(ctx, Caller(c), d.id, d.reason); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: d.id.String() + " is denied."}, nil
		},
	}
}
