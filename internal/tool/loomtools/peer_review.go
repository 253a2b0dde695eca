package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_review.md
var peerReviewText string

var peerReviewSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file to review, relative to the workspace."},
		"what": {"type": "string", "description": "What to look at, and what matters."},
		"target": {"type": "string", "description": "Who reviews, by name; the least busy reviewer if left out."},
		"wait": {"type": "boolean", "description": "Wait for the review; it is the result of this call."}
	}
}`)

func peerReview(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_review", Description: peerReviewText, Schema: peerReviewSchema},
		Replays: true, Contacts: true, Peer: "target",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			r, wait, err := decodeReview(c)
			if err != nil {
				return tool.Result{}, err
			}
			if wait {
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
	}
}

func decodeReview(c tool.Call) (r contact.Request, wait bool, err error) {
	var args struct {
		Path   string `json:"path"`
		What   string `json:"what"`
		Target string `json:"target"`
		Wait   bool   `json:"wait"`
	}
	if err := tool.Decode(c.Args, &args); err != nil {
		return r, false, err
	}
	what := strings.TrimSpace(args.What)
	if args.Path != "" {
		if args.Path, err = parley.CleanPath(args.Path); err != nil {
			return r, false, err
		}
		what = strings.TrimSpace(args.Path + "\n" + what)
	}
	if what == "" {
		return r, false, parley.Errorf(parley.Invalid, "There is nothing to review.").WithHint("Give path, or say what to look at.")
	}
	return contact.Request{Target: args.Target, Message: "Please review " + what, Key: c.Key}, args.Wait, nil
}
