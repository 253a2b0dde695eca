package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

//go:embed message_status.md
var messageStatusText string

var messageStatusSchema = json.RawMessage(`{
	"type": "object",
	"properties": {"message_id": {"type": "string", "description": "The message, for example msg-101."}},
	"required": ["message_id"]
}`)

func messageStatus(st store.Store, dir *directory.Directory) tool.Tool {
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
			text, err := describeDeliveries(ctx, st, dir, c.Lease.Agent, id)
			return tool.Result{Text: text}, err
		},
	}
}

// describeDeliveries tells the author of a message what became of it. To
// anybody else the message does not exist.
func describeDeliveries(ctx context.Context, st store.Store, dir *directory.Directory, author parley.AgentID, id parley.MessageID) (string, error) {
	var lines []string
	err := st.View(ctx, func(tx *store.Tx) error {
		lines = nil
		m, err := tx.Message(id)
		if err != nil || m.Author != author {
			return parley.Errorf(parley.NotFound, "You sent no message %s.", id)
		}
		list, err := tx.Deliveries(id)
		for _, d := range list {
			to, _ := dir.Entry(d.Recipient)
			lines = append(lines, fmt.Sprintf("%s: %s", to.Name, d.State()))
		}
		return err
	})
	return strings.Join(lines, "\n"), err
}
