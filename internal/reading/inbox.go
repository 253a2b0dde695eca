package reading

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// InboxItem is a message that the caller has not seen or not answered.
type InboxItem struct {
	parley.Message
	// Asks says that the caller is expected to reply to the message's task.
	Asks bool
	// Seen says that the message was displayed before and is listed only because it
	// asks.
	Seen bool
	// Place is the group channel that the message is in; empty for a dm.
	Place string
}

// Inbox lists what the caller has not seen, oldest first. Reading changes nothing:
// the caller says with MarkSeen what it displayed. What a person was asked stays
// until it is answered, since somebody waits for it.
func (s *Service) Inbox(ctx context.Context, c access.Caller, limit int) (list []InboxItem, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		mail, err := tx.Mail(c.Agent, limit)
		if err != nil {
			return err
		}
		list = make([]InboxItem, 0, len(mail))
		for _, m := range mail {
			item, err := inboxItem(tx, c, m)
			if err != nil {
				return err
			}
			list = append(list, item)
		}
		if s.seesAll(c) {
			list, err = unanswered(tx, c, list, limit)
		}
		return err
	})
	return list, err
}

// unanswered adds what the caller has seen but not answered. Somebody waits for that, so
// where there is no room for all, mail waits.
func unanswered(tx *store.Tx, c access.Caller, list []InboxItem, limit int) ([]InboxItem, error) {
	open, err := tx.Tasks(store.TaskFilter{Team: c.Team, Agent: c.Agent, Open: true, Limit: limit})
	if err != nil {
		return nil, err
	}
	var more []InboxItem
	for _, t := range slices.Backward(open) {
		if slices.ContainsFunc(list, func(i InboxItem) bool { return i.ID == t.Request }) {
			continue
		}
		m, err := tx.Message(t.Request)
		if err != nil {
			return nil, err
		}
		item, err := inboxItem(tx, c, m)
		if err != nil {
			return nil, err
		}
		// What is newer than a full list may be new.
		item.Seen = len(list) < limit || m.ID < list[limit-1].ID
		more = append(more, item)
	}
	for i := len(list) - 1; i >= 0 && len(list)+len(more) > limit; i-- {
		if !list[i].Asks {
			list = slices.Delete(list, i, i+1)
		}
	}
	list = append(list, more[:min(len(more), max(0, limit-len(list)))]...)
	slices.SortStableFunc(list, func(a, b InboxItem) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// inboxItem finds out what is expected of the caller. A post may ask several agents,
// each with its own task; the item names the caller's.
func inboxItem(tx *store.Tx, c access.Caller, m parley.Message) (InboxItem, error) {
	item := InboxItem{Message: m}
	var err error
	if item.Place, err = placeOf(tx, m); err != nil {
		return item, err
	}
	if m.Kind != parley.PostMessage && m.Kind != parley.ReplyMessage {
		item.Asks, err = asks(tx, c, m)
		return item, err
	}
	mentions, err := tx.MentionsOf(m.ID)
	for _, t := range mentions {
		if t.Agent == c.Agent {
			item.Task, item.Asks = t.ID, t.State.Open()
		}
	}
	return item, err
}

// placeOf names the group channel of a message; empty for a dm.
func placeOf(tx *store.Tx, m parley.Message) (string, error) {
	thread, err := tx.Thread(m.Thread)
	if err != nil {
		return "", err
	}
	ch, err := tx.Channel(thread.Channel)
	if err != nil || ch.Kind != parley.Group {
		return "", err
	}
	return ch.Place(), nil
}

func asks(tx *store.Tx, c access.Caller, m parley.Message) (bool, error) {
	if m.Task == 0 || m.Kind != parley.AskMessage && m.Kind != parley.DelegateMessage && m.Kind != parley.SentMessage &&
		m.Kind != parley.QuestionMessage {
		return false, nil
	}
	t, err := tx.Task(m.Task)
	return t.Agent == c.Agent && t.State.Open(), err
}

// MarkSeen records that messages were displayed to the caller. Messages for others
// are left alone.
func (s *Service) MarkSeen(ctx context.Context, c access.Caller, ids []parley.MessageID) error {
	if len(ids) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			tx.MarkSeen(id, c.Agent)
		}
		return nil
	})
}
