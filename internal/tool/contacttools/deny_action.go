package contacttools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

//go:embed deny_action.md
var denyActionText string

type denyActionArgs struct {
	ApprovalID string `json:"approval_id" required:"true" doc:"The approval, for example approval-7."`
	Reason     string `json:"reason" required:"true" doc:"Why; the agent reads it."`
}

func denyAction(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[denyActionArgs]{
		Name: "deny_action", Title: "Deny an action", Description: denyActionText,
		Replays: true,
		Action:  func(args denyActionArgs) string { return TaskAction("deny", args.ApprovalID, parley.ParseApprovalID) },
		Run: func(ctx context.Context, c tool.Call, args denyActionArgs) (tool.Result, error) {
			id, err := parley.ParseApprovalID(args.ApprovalID)
			if err != nil {
				return tool.Result{}, err
			}
			if err := contacts.Deny(ctx, Caller(c), id, args.Reason); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: id.String() + " is denied."}, nil
		},
	})
}
