package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/keeper"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed context_retrieve.md
var contextRetrieveText string

var contextRetrieveSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"query": {"type": "string", "description": "The question, or the words to look for."},
		"keeper_id": {"type": "string", "description": "One keeper, for example keeper-7; all that you may read if left out."},
		"mode": {"type": "string", "enum": ["smart", "raw"], "description": "'smart' for a short answer, 'raw' for the messages; by the query if left out."}
	},
	"required": ["query"]
}`)

func contextRetrieve(keepers *keeper.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "context_retrieve", Description: contextRetrieveText, Schema: contextRetrieveSchema},
		Replays: true,
		Action:  func(json.RawMessage) string { return policy.Action(policy.KeeperOp, "retrieve") },
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			q, err := decodeQuery(c)
			if err != nil {
				return tool.Result{}, err
			}
			text, err := keepers.Retrieve(ctx, contacttools.Caller(c), q, c.Think)
			return tool.Result{Text: text}, err
		},
	}
}

func decodeQuery(c tool.Call) (q keeper.Query, err error) {
	var args struct {
		Query  string `json:"query"`
		Keeper string `json:"keeper_id"`
		Mode   string `json:"mode"`
	}
	if err := tool.Decode(c.Args, &args); err != nil {
		return q, err
	}
	q.Text = args.Query
	if args.Keeper != "" {
		if q.Keeper, err = parley.ParseKeeperID(args.Keeper); err != nil {
			return q, err
		}
	}
	q.Mode, err = keeper.ParseMode(args.Mode)
	return q, err
}
