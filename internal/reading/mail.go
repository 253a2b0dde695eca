package reading

import (
	"context"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// mailChars bounds a page of mail, unless its first message is longer.
const mailChars = 16000

// MailPage is a page of the caller's unread mail.
type MailPage struct {
	Messages []parley.Message
	More     int // unread after them
	// Isolated says that only the mail of the conversation is looked at in which the
	// caller works.
	Isolated bool
}

// Mail reads a page of the unread mail of the agent whose turn it is, oldest first.
// Reading changes nothing: what was shown is marked with the result of the call.
func (s *Service) Mail(ctx context.Context, c access.Caller, after parley.MessageID, limit int) (page MailPage, err error) {
	e, _ := s.dir.Entry(c.Agent)
	err = s.store.View(ctx, func(tx *store.Tx) error {
		page = MailPage{Isolated: e.Isolated}
		f := store.MailFilter{To: c.Agent, After: after, Limit: limit}
		if e.Isolated {
			task, err := tx.Task(c.Task)
			if err != nil {
				return err
			}
			thread, err := tx.Thread(task.Thread)
			if err != nil {
				return err
			}
			f.Within = thread.Channel
		}
		count, _, err := tx.MailSenders(f)
		if err != nil || count == 0 {
			return err
		}
		list, err := tx.UnreadMail(f)
		page.Messages = firstPage(list)
		page.More = count - len(page.Messages)
		return err
	})
	return page, err
}

// Unread is how much the agents of the caller's team have not read.
func (s *Service) Unread(ctx context.Context, c access.Caller) (list map[parley.AgentID]store.Unread, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err = tx.Unread(c.Team)
		return err
	})
	return list, err
}

// firstPage are the first messages that fit on a page, and at least one.
func firstPage(list []parley.Message) []parley.Message {
	left := mailChars
	for i, m := range list {
		left -= utf8.RuneCountInString(m.Body) + utf8.RuneCountInString(m.Context)
		if left < 0 && i > 0 {
			return list[:i]
		}
	}
	return list
}
