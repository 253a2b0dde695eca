package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
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
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				MessageID string `json:"message_id"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			id, err := parley.ParseMessageID(args.MessageID)
			if err != nil {
				return tool.Result{}, err
			}
			text, err := describeDeliveries(ctx, read, Caller(c), id)
			return tool.Result{Text: text}, err
		},
	}
}

// describeDeliveries says what became of a message for each recipient.
func describeDeliveries(ctx context.Context, read *reading.Service, c contact.Caller, id parley.MessageID) (string, error) {
	m, err := read.Message(ctx, c, id)
	lines := make([]string, 0, len(m.Deliveries))
	for _, d := range m.Deliveries {
		lines = append(lines, fmt.Sprintf("%s: %s", read.Name(ctx, d.Recipient), d.State()))
	}
	return strings.Join(lines, "\n"), err
}
