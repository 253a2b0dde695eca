package loomtools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/keeper"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed context_retrieve.md
var contextRetrieveText string

type contextRetrieveArgs struct {
	Query  string `json:"query" required:"true" doc:"The question, or the words to look for."`
	Keeper string `json:"keeper_id" doc:"One keeper, for example keeper-7; all that you may read if left out."`
	Mode   string `json:"mode" enum:"smart,raw" doc:"'smart' for a short answer, 'raw' for the messages; by the query if left out."`
}

func contextRetrieve(keepers *keeper.Service) tool.Tool {
	return newTool(tool.Spec[contextRetrieveArgs]{
		Name: "context_retrieve", Title: "Find context again", Description: contextRetrieveText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(contextRetrieveArgs) string { return policy.Action(policy.KeeperOp, "retrieve") },
		Run: func(ctx context.Context, c tool.Call, args contextRetrieveArgs) (tool.Result, error) {
			q, err := args.query()
			if err != nil {
				return tool.Result{}, err
			}
			text, err := keepers.Retrieve(ctx, contacttools.Caller(c), q, c.Think)
			return tool.Result{Text: text}, err
		},
	})
}

func (args contextRetrieveArgs) query() (q keeper.Query, err error) {
	q.Text = args.Query
	if args.Keeper != "" {
		if q.Keeper, err = parley.ParseKeeperID(args.Keeper); err != nil {
			return q, err
		}
	}
	q.Mode, err = keeper.ParseMode(args.Mode)
	return q, err
}
