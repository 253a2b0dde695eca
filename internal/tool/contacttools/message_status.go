package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed message_status.md
var messageStatusText string

type messageStatusArgs struct {
	MessageID string `json:"message_id" required:"true" doc:"The message, for example msg-101."`
}

func messageStatus(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[messageStatusArgs]{
		Name: "message_status", Title: "See what became of a message", Description: messageStatusText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action: func(args messageStatusArgs) string {
			return TaskAction("status", args.MessageID, parley.ParseMessageID)
		},
		Run: func(ctx context.Context, c tool.Call, args messageStatusArgs) (tool.Result, error) {
			id, err := parley.ParseMessageID(args.MessageID)
			if err != nil {
				return tool.Result{}, err
			}
			text, err := describeDeliveries(ctx, read, Caller(c), id)
			return tool.Result{Text: text}, err
		},
	})
}

// describeDeliveries says what became of a message for each recipient.
func describeDeliveries(ctx context.Context, read *reading.Service, c access.Caller, id parley.MessageID) (string, error) {
	m, err := read.Message(ctx, c, id)
	lines := make([]string, 0, len(m.Deliveries))
	for _, d := range m.Deliveries {
		line := fmt.Sprintf("%s: %s", read.Name(ctx, d.Recipient), d.State())
		if d.Unread() {
			line += ", unread since " + m.At.Time().UTC().Format(time.RFC3339)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), err
}
