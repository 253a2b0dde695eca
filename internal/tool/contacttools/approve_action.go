package contacttools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

// Managing is the toolset of those who are somebody's manager.
func Managing(contacts *contact.Service) []tool.Tool {
	return []tool.Tool{approveAction(contacts), denyAction(contacts)}
}

//go:embed approve_action.md
var approveActionText string

type approveActionArgs struct {
	ApprovalID string `json:"approval_id" required:"true" doc:"The whole id of the approval, for example approval-7-kqwzmtrp."`
	Digest     string `json:"digest" required:"true" doc:"The digest in the same line, for example 3fa9c21b70de."`
}

func approveAction(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[approveActionArgs]{
		Name: "approve_action", Title: "Approve an action", Description: approveActionText, Hints: tool.Hints{Destructive: true},
		Replays: true,
		Action: func(args approveActionArgs) string {
			return TaskAction("approve", args.ApprovalID, parley.ParseApprovalID)
		},
		Run: func(ctx context.Context, c tool.Call, args approveActionArgs) (tool.Result, error) {
			ref, err := approvalRef(args.ApprovalID, args.Digest)
			if err != nil {
				return tool.Result{}, err
			}
			a, err := contacts.Approve(ctx, Caller(c), ref)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: parley.ApprovedText(a)}, nil
		},
	})
}

func approvalRef(id, digest string) (parley.ApprovalRef, error) {
	ref, err := parley.ParseApprovalRef(id)
	ref.Digest = digest
	return ref, err
}
