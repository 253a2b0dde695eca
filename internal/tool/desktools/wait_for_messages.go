package desktools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/desk"
	"parley/internal/tool"
)

//go:embed wait_for_messages.md
var waitForMessagesText string

// longestWait and usualWait are in seconds. Some programs give up a call after a minute,
// whatever they are told meanwhile.
const (
	longestWait = int(desk.LongestWait / time.Second)
	usualWait   = 50
)

type waitForMessagesArgs struct {
	Cursor string `json:"cursor" doc:"The cursor of the last call: those messages have arrived and count as seen."`
	Wait   int    `json:"wait_seconds" doc:"How long to wait if there is nothing, from 0 to 600; 50 if left out."`
	Limit  int    `json:"limit" doc:"How many messages at most, from 1 to 50; 20 if left out."`
}

func waitForMessages(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[waitForMessagesArgs]{
		Name: "wait_for_messages", Title: "Wait for messages", Description: waitForMessagesText,
		Own: true, Replays: true, Output: batchOutput,
		Defaults: waitForMessagesArgs{Wait: usualWait, Limit: usualLimit},
		Run: func(ctx context.Context, c tool.Call, args waitForMessagesArgs) (tool.Result, error) {
			if args.Wait < 0 || args.Wait > longestWait {
				return tool.Result{}, parley.Errorf(parley.Invalid, "wait_seconds is from 0 to %d.", longestWait)
			}
			return receive(ctx, d, c, desk.Fetch{Cursor: args.Cursor, Limit: args.Limit, Wait: time.Duration(args.Wait) * time.Second})
		},
	})
}

//go:embed read_inbox.md
var readInboxText string

type readInboxArgs struct {
	Cursor string `json:"cursor" doc:"The cursor of the last call: those messages have arrived and count as seen."`
	Limit  int    `json:"limit" doc:"How many messages at most, from 1 to 50; 20 if left out."`
}

// readInbox is waitForMessages without waiting, under the name that every agent knows.
func readInbox(d *desk.Service) tool.Tool {
	return tool.New(tool.Spec[readInboxArgs]{
		Name: "read_inbox", Title: "Read your messages", Description: readInboxText, Hints: tool.Hints{ReadOnly: true},
		Own: true, Replays: true, Output: batchOutput,
		Defaults: readInboxArgs{Limit: usualLimit},
		Run: func(ctx context.Context, c tool.Call, args readInboxArgs) (tool.Result, error) {
			return receive(ctx, d, c, desk.Fetch{Cursor: args.Cursor, Limit: args.Limit})
		},
	})
}

const (
	usualLimit = 20
	mostItems  = 50
)

func receive(ctx context.Context, d *desk.Service, c tool.Call, f desk.Fetch) (tool.Result, error) {
	if f.Limit < 1 || f.Limit > mostItems {
		return tool.Result{}, parley.Errorf(parley.Invalid, "limit is from 1 to %d.", mostItems)
	}
	b, err := d.Receive(ctx, caller(c), f)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: batchText(b), Data: batchData(b)}, nil
}

// batchText marks the lines of every message, so that none can look like two.
func batchText(b desk.Batch) string {
	var text strings.Builder
	for _, i := range b.Items {
		text.WriteString(parley.Continued(itemHead(i)+":\n"+i.Text) + "\n\n")
	}
	switch {
	case len(b.Items) == 0:
		text.WriteString("There is nothing new for you.")
	case b.More == 1:
		text.WriteString("1 more waits.")
	case b.More > 1:
		fmt.Fprintf(&text, "%d more wait.", b.More)
	default:
		text.WriteString("That is all for now.")
	}
	if b.Cursor != "" {
		fmt.Fprintf(&text, " To confirm that you have these, call again with cursor %q.", b.Cursor)
	}
	if len(b.Held) > 0 {
		text.WriteString(" You hold " + heldText(b.Held) + ".")
	}
	return text.String()
}

func itemHead(i desk.Item) string {
	head := i.Message.ID.String() + ", " + i.Message.At.Time().UTC().Format(time.RFC3339)
	if i.Place != "" {
		head += ", in " + i.Place
	}
	if i.Task != 0 {
		head += ", asks you to do " + i.Task.String()
	}
	if i.Again {
		head += ", handed out before"
	}
	return head
}

func heldText(ids []parley.TaskID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	return strings.Join(names, ", ")
}

// batchData says the same to a program.
func batchData(b desk.Batch) map[string]any {
	items := make([]map[string]any, len(b.Items))
	for n, i := range b.Items {
		items[n] = map[string]any{"message": i.Message.ID.String(), "kind": string(i.Message.Kind), "from": i.From, "place": i.Place, "text": i.Text,
			"asks": i.Asks, "again": i.Again, "created": i.Message.At.Time().UTC().Format(time.RFC3339Nano)}
		if i.Task != 0 {
			items[n]["task"] = i.Task.String()
		}
	}
	held := make([]string, len(b.Held))
	for n, id := range b.Held {
		held[n] = id.String()
	}
	return map[string]any{"items": items, "cursor": b.Cursor, "more": b.More, "held": held}
}

var batchOutput = json.RawMessage(`{"properties":{` +
	`"items":{"type":"array","description":"The messages, the most urgent first.","items":{"type":"object","properties":{` +
	`"message":{"type":"string"},"kind":{"type":"string"},"from":{"type":"string"},` +
	`"place":{"type":"string","description":"The channel; empty for a direct message."},` +
	`"text":{"type":"string"},"task":{"type":"string","description":"What you are asked to do; left out if nothing."},` +
	`"asks":{"type":"boolean","description":"Somebody waits for the end of the task."},` +
	`"again":{"type":"boolean","description":"It was handed out before."},"created":{"type":"string"}},` +
	`"required":["message","kind","from","place","text","asks","again","created"]}},` +
	`"cursor":{"type":"string","description":"Give it back with the next call."},` +
	`"more":{"type":"integer","description":"How many wait besides."},` +
	`"held":{"type":"array","items":{"type":"string"},"description":"The tasks that you work on."}}}`)
