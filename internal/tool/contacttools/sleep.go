package contacttools

import (
	"context"
	_ "embed"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/tool"
)

//go:embed sleep.md
var sleepText string

type sleepArgs struct {
	Until string `json:"until" required:"true" doc:"When to wake up: a time such as 2026-05-01T08:00:00Z."`
}

func sleep(contacts *contact.Service, dir *directory.Directory) tool.Tool {
	return tool.New(tool.Spec[sleepArgs]{
		Name: "sleep", Title: "Go to sleep", Description: sleepText,
		Replays: true,
		Action:  func(sleepArgs) string { return policy.Action(policy.SelfOp, "sleep") },
		Run: func(ctx context.Context, c tool.Call, args sleepArgs) (tool.Result, error) {
			until, err := time.Parse(time.RFC3339, args.Until)
			if err != nil {
				return tool.Result{}, parley.Errorf(parley.Invalid, "%q is not a time.", args.Until).
					WithHint("Write it like 2026-05-01T08:00:00Z.")
			}
			self, ok := dir.Entry(c.Lease.Agent)
			if !ok {
				return tool.Result{}, parley.Errorf(parley.NotFound, "You are no longer in the team's files.")
			}
			if err := contacts.Sleep(ctx, Caller(c), self.Name, until); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: "You will sleep until " + until.UTC().Format(time.RFC3339) + "."}, nil
		},
	})
}
