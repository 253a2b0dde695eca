package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed read_inbox.md
var readInboxText string

// Inbox is the name of the tool that every agent has, whatever its toolsets are.
const Inbox = "read_inbox"

type readInboxArgs struct {
	Limit int    `json:"limit" doc:"How many messages at most, from 1 to 50; 20 if left out."`
	After string `json:"after" doc:"Only messages after this one, for example msg-101; from the oldest on if left out."`
}

// ReadInbox shows an agent its unread mail.
func ReadInbox(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[readInboxArgs]{
		Name: Inbox, Title: "Read your mail", Description: readInboxText, Hints: tool.Hints{ReadOnly: true},
		Replays:  true,
		Defaults: readInboxArgs{Limit: 20},
		Action:   func(readInboxArgs) string { return policy.Action(policy.AgentComm, Inbox) },
		Run: func(ctx context.Context, c tool.Call, args readInboxArgs) (tool.Result, error) {
			if args.Limit < 1 || args.Limit > 50 {
				return tool.Result{}, parley.Errorf(parley.Invalid, "limit is from 1 to 50.")
			}
			var after parley.MessageID
			if args.After != "" {
				var err error
				if after, err = parley.ParseMessageID(args.After); err != nil {
					return tool.Result{}, err
				}
			}
			page, err := read.Mail(ctx, Caller(c), after, args.Limit)
			if err != nil {
				return tool.Result{}, err
			}
			return showMail(ctx, read, page), nil
		},
	})
}

// showMail marks the lines of every message, so that none can look like two.
func showMail(ctx context.Context, read *reading.Service, page reading.MailPage) (res tool.Result) {
	if len(page.Messages) == 0 {
		res.Text = "There is no unread mail for you."
		if page.Isolated {
			res.Text = "There is no unread mail for you in this conversation."
		}
		return res
	}
	var b strings.Builder
	for _, m := range page.Messages {
		text := parley.MailText(read.Name(ctx, m.Author), m)
		entry := fmt.Sprintf("%s, %s:\n%s", m.ID, m.At.Time().UTC().Format(time.RFC3339), text)
		b.WriteString(parley.Continued(entry) + "\n\n")
		res.Seen = append(res.Seen, m.ID)
	}
	switch page.More {
	case 0:
		b.WriteString("That is all of it.")
	case 1:
		b.WriteString("1 more is unread; read_inbox shows it.")
	default:
		fmt.Fprintf(&b, "%d more are unread; read_inbox shows them.", page.More)
	}
	res.Text = b.String()
	return res
}
