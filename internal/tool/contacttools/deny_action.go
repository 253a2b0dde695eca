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
	ApprovalID string `json:"approval_id" required:"true" doc:"The whole id of the approval, for example approval-7-kqwzmtrp."`
	Digest     string `json:"digest" required:"true" doc:"The digest in the same line, for example 3fa9c21b70de."`
	Reason     string `json:"reason" required:"true" doc:"Why; the agent reads it."`
}

func denyAction(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[denyActionArgs]{
		Name: "deny_action", Title: "Deny an action", Description: denyActionText,
		Replays: true,
		Action:  func(args denyActionArgs) string { return TaskAction("deny", args.ApprovalID, parley.ParseApprovalID) },
		Run: func(ctx context.Context, c tool.Call, args denyActionArgs) (tool.Result, error) {
			ref, err := approvalRef(args.ApprovalID, args.Digest)
			if err != nil {
				return tool.Result{}, err
			}
			a, err := contacts.Deny(ctx, Caller(c), ref, args.Reason)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: parley.DeniedText(a)}, nil
		},
	})
}
