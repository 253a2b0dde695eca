package loomtools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_review.md
var peerReviewText string

type peerReviewArgs struct {
	Path   string `json:"path" doc:"The file to review, relative to the workspace."`
	What   string `json:"what" doc:"What to look at, and what matters."`
	Target string `json:"target" alias:"agentId,target_agent" doc:"Who reviews, by name; the least busy reviewer if left out."`
	Wait   bool   `json:"wait" doc:"Wait for the review; it is the result of this call."`
}

func peerReview(contacts *contact.Service) tool.Tool {
	return newTool(tool.Spec[peerReviewArgs]{
		Name: "peer_review", Title: "Ask for a review", Description: peerReviewText,
		Replays: true, Contacts: true,
		Peer: func(a peerReviewArgs) string { return a.Target },
		Run: func(ctx context.Context, c tool.Call, args peerReviewArgs) (tool.Result, error) {
			r, err := args.request(c.Key)
			if err != nil {
				return tool.Result{}, err
			}
			if args.Wait {
				a, err := contacts.AwaitReview(ctx, contacttools.Caller(c), r)
				if err != nil {
					return tool.Result{}, err
				}
				return contacttools.Answered(a), nil
			}
			made, err := contacts.Review(ctx, contacttools.Caller(c), r)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: fmt.Sprintf("Review requested from %s (%s).", made.Target, made.Task.ID)}, nil
		},
	})
}

func (args peerReviewArgs) request(key string) (r contact.Request, err error) {
	what := strings.TrimSpace(args.What)
	if args.Path != "" {
		if args.Path, err = parley.CleanPath(args.Path); err != nil {
			return r, err
		}
		what = strings.TrimSpace(args.Path + "\n" + what)
	}
	if what == "" {
		return r, parley.Errorf(parley.Invalid, "There is nothing to review.").WithHint("Give path, or say what to look at.")
	}
	return contact.Request{Target: args.Target, Message: "Please review " + what, Key: key}, nil
}
