package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
)

// Managing is the toolset of those who are somebody's manager.
func Managing(contacts *contact.Service) []tool.Tool {
	return []tool.Tool{approveAction(contacts), denyAction(contacts)}
}

//go:embed approve_action.md
var approveActionText string

var approveActionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"approval_id": {"type": "string", "description": "The approval, for example approval-7."}},
	"required": ["approval_id"]
}`)

func approveAction(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "approve_action", Description: approveActionText, Schema: approveActionSchema},
		Replays: true,
		Action:  func(args json.RawMessage) string { return approvalAction("approve", args) },
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			d, err := decodeDecision(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			if err := contacts.Approve(ctx, Caller(c), d.id); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: d.id.String() + " is approved."}, nil
		},
	}
}

// decision is what the arguments of both tools say.
type decision struct {
	id     parley.ApprovalID
	reason string
}

func decodeDecision(raw json.RawMessage) (decision, error) {
	var args struct {
		ApprovalID string `json:"approval_id"`
		Reason     string `json:"reason"`
	}
	if err := tool.Decode(raw, &args); err != nil {
		return decision{}, err
	}
	id, err := parley.ParseApprovalID(args.ApprovalID)
	return decision{id, args.Reason}, err
}

// approvalAction names a decision for the rules. Arguments that name no approval
// are refused when the tool reads them.
func approvalAction(verb string, args json.RawMessage) string {
	d, err := decodeDecision(args)
	if err != nil {
		return policy.Action(policy.TaskOp, verb+" ")
	}
	return policy.Action(policy.TaskOp, verb+" "+d.id.String())
}
