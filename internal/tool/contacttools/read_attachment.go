package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed read_attachment.md
var readAttachmentText string

// Attachment is the name of a tool that every agent has, whatever its toolsets are.
const Attachment = "read_attachment"

// attachmentPart is how many bytes of an attachment are shown at once.
const attachmentPart = 32 << 10

type readAttachmentArgs struct {
	Of   string `json:"of" doc:"A task (its result) or a message, for example task-101 or msg-101; the request that you work on if left out."`
	From int    `json:"from" doc:"The byte to begin at; the beginning if left out."`
}

// readAttachment shows an agent the whole of what it was sent. It needs the same
// permission as reading mail.
func readAttachment(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[readAttachmentArgs]{
		Name: Attachment, Title: "Read a long text", Description: readAttachmentText, Hints: tool.Hints{ReadOnly: true},
		Replays: true,
		Action:  func(readAttachmentArgs) string { return policy.Action(policy.AgentComm, Inbox) },
		Run: func(ctx context.Context, c tool.Call, args readAttachmentArgs) (tool.Result, error) {
			whole, id, err := findText(ctx, read, c, strings.TrimSpace(args.Of))
			if err != nil {
				return tool.Result{}, err
			}
			text, err := part(whole, args.From)
			return tool.Result{Text: text, Seen: []parley.MessageID{id}}, err
		},
	})
}

// findText reads the whole of a message, or of the request or result of a task.
func findText(ctx context.Context, read *reading.Service, c tool.Call, of string) (string, parley.MessageID, error) {
	id, err := parley.ParseMessageID(of)
	if of == "" || strings.HasPrefix(strings.ToLower(of), "task-") {
		id, err = messageOf(ctx, read, c, of)
	}
	if err != nil {
		return "", 0, err
	}
	m, err := read.Message(ctx, Caller(c), id)
	if m.Whole != "" {
		return m.Whole, id, err
	}
	return m.Body, id, err
}

// messageOf is the message that a task stands for: what the caller works on is its
// request, and what it gave to another the result.
func messageOf(ctx context.Context, read *reading.Service, c tool.Call, of string) (parley.MessageID, error) {
	task := c.Lease.Task
	if of != "" {
		var err error
		if task, err = parley.ParseTaskID(of); err != nil {
			return 0, err
		}
	}
	if task == 0 {
		return 0, parley.Errorf(parley.Invalid, "You work on no task.").WithHint("Name a task or a message in of.")
	}
	t, err := read.Task(ctx, Caller(c), task)
	if err != nil || task == c.Lease.Task || t.Result == 0 {
		return t.Request, err
	}
	return t.Result, nil
}

// part is what is shown at once, in whole characters, with a word of how to go on.
func part(whole string, from int) (string, error) {
	if from < 0 || from > len(whole) {
		return "", parley.Errorf(parley.Invalid, "The text has %d bytes; from is a number of one of them.", len(whole))
	}
	for from < len(whole) && !utf8.RuneStart(whole[from]) {
		from++
	}
	to := min(len(whole), from+attachmentPart)
	for to < len(whole) && !utf8.RuneStart(whole[to]) {
		to--
	}
	text := parley.Quote(whole[from:to])
	if from == 0 && to == len(whole) {
		return text, nil
	}
	head := fmt.Sprintf("Bytes %d to %d of %d:\n\n", from, to, len(whole))
	if to == len(whole) {
		return head + text + "\n\nThat is all of it.", nil
	}
	return head + text + fmt.Sprintf("\n\nGo on with from: %d.", to), nil
}
