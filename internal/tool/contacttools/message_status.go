package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed message_status.md
var messageStatusText string

var messageStatusSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"message_id": {"type": "string", "description": "The message, for example msg-101."}},
	"required": ["message_id"]
}`)

func messageStatus(read *reading.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "message_status", Description: messageStatusText, Schema: messageStatusSchema},
		Replays: true,
		Action:  messageAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			id, err := messageID(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			text, err := describeDeliveries(ctx, read, Caller(c), id)
			return tool.Result{Text: text}, err
		},
	}
}

func messageAction(args json.RawMessage) string {
	id, err := messageID(args)
	if err != nil {
		return policy.Action(policy.TaskOp, "status ")
	}
	return policy.Action(policy.TaskOp, "status "+id.String())
}

func messageID(raw json.RawMessage) (parley.MessageID, error) {
	var args struct {
		MessageID string `json:"message_id"`
	}
	if err := tool.Decode(raw, &args); err != nil {
		return 0, err
	}
	return parley.ParseMessageID(args.MessageID)
}

// describeDeliveries says what became of a message for each recipient.
func describeDeliveries(ctx context.Context, read *reading.Service, c access.Caller, id parley.MessageID) (string, error) {
	m, err := read.Message(ctx, c, id)
	lines := make([]string, 0, len(m.Deliveries))
	for _, d := range m.Deliveries {
		lines = append(lines, fmt.Sprintf("%s: %s", read.Name(ctx, d.Recipient), d.State()))
	}
	return strings.Join(lines, "\n"), err
}
