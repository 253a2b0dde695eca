package reading

import (
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Span says which messages of a conversation to show: by default the newest. At most one
// of Ahead, Upto, After and Around is set.
type Span struct {
	Conversation // Before is not used
	// Ahead reads what comes before a message, Upto what ends with it, After what
	// follows it, and Around some of both.
	Ahead, Upto, After, Around parley.MessageID
	// Above ends Upto before the message of that number.
	Above int
	// Again are messages of the conversation that are read once more, since what is
	// shown of them may have changed.
	Again []parley.MessageID
}

// Page is a piece of a conversation with what is shown of it, oldest first.
type Page struct {
	Channel parley.Channel
	Thread  parley.Thread // zero if two have not talked yet
	Lines   []Line
	Again   []Line
	// Prior is the message before the first one; zero if that is the beginning, or if
	// it was removed.
	Prior parley.Message
	// Later says that there are messages after the last one.
	Later bool
	// Members are those of a group, with how far each has read.
	Members []parley.Member
}

// Line is a message with what is shown of it.
type Line struct {
	parley.Message
	Deliveries []parley.Delivery
	// Attached is the size of its whole text, if the body is only the beginning.
	Attached int
	// Work is the task that the message opened or belongs to; zero if there is none.
	Work parley.Task
	// Started are the tasks that its mentions have opened.
	Started []parley.Task
}

// pageBytes bounds the texts of a page; a single message may be longer.
const pageBytes = 512 << 10

// Page reads a piece of a conversation for display. Reading changes nothing: whoever
// shows it says how far.
func (s *Service) Page(ctx context.Context, c access.Caller, q Span) (p Page, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		p = Page{}
		t, err := s.thread(tx, c, q.Conversation)
		if err != nil {
			return err
		}
		if t.ID == 0 {
			p.Channel, err = s.dm(tx, c, q.Of, q.With)
			return err
		}
		p.Thread = t
		if p.Channel, err = tx.Channel(t.Channel); err != nil {
			return err
		}
		if p.Channel.Kind == parley.Group {
			if p.Members, err = tx.Members(p.Channel.ID); err != nil {
				return err
			}
		}
		return s.fillPage(tx, c, q, &p)
	})
	if err == nil && p.Channel.Kind == parley.Group {
		err = s.access.PermitOutside(ctx, c, policy.ChannelOp, "read "+p.Channel.Place())
	}
	if err != nil {
		return Page{}, s.access.RecordDenied(ctx, c, "read a conversation", err)
	}
	return p, nil
}

func (s *Service) fillPage(tx *store.Tx, c access.Caller, q Span, p *Page) error {
	var list, again []parley.Message
	var err error
	if p.Prior, list, err = spanOf(tx, q, p.Thread); err != nil {
		return err
	}
	if len(list) > 0 {
		p.Later = list[len(list)-1].N < p.Thread.Count
	}
	for _, id := range q.Again {
		m, err := tx.Message(id)
		if err == nil && m.Thread == p.Thread.ID { // others are gone, or belong elsewhere
			again = append(again, m)
		}
	}
	lines, err := s.lines(tx, c, append(slices.Clone(list), again...))
	if err != nil {
		return err
	}
	p.Lines, p.Again = lines[:len(list):len(list)], lines[len(list):]
	return nil
}

// spanOf reads the messages that are wanted, oldest first, and the one before them.
func spanOf(tx *store.Tx, q Span, t parley.Thread) (prior parley.Message, list []parley.Message, err error) {
	end := t.Last
	var m parley.Message
	if id := q.Ahead + q.Upto + q.After + q.Around; id != 0 {
		if m, err = tx.Message(id); err == nil && m.Thread != t.ID {
			err = store.ErrNotFound
		}
		if err := orMissing(err, err == nil, id); err != nil {
			return prior, nil, err
		}
		end = m.ID
	}
	limit := q.Limit
	switch {
	case q.After != 0:
		list, err = following(tx, t, m, limit)
		return m, list, err
	case q.Ahead != 0:
		end = m.Prev
	case q.Around != 0:
		limit /= 2
	}
	if list, err = tx.Back(t.ID, end, max(0, q.Above-2), limit+1); err != nil {
		return prior, nil, err
	}
	slices.Reverse(list)
	prior, list = fitting(list, limit)
	if len(list) > 0 && list[0].N < q.Above {
		prior, list = list[0], list[1:]
	}
	if q.Around != 0 {
		after, err := following(tx, t, m, limit)
		return prior, append(list, after...), err
	}
	return prior, list, nil
}

// nearEnd is how many messages are walked over to find one from the end.
const nearEnd = 1000

// following reads what follows a message, oldest first.
func following(tx *store.Tx, t parley.Thread, m parley.Message, limit int) (list []parley.Message, err error) {
	left := t.Count - m.N
	if left > nearEnd {
		if list, err = tx.Onward(m, limit); err != nil || len(list) > 0 {
			return list, err
		}
	}
	list, err = tx.Back(t.ID, t.Last, m.N, left)
	slices.Reverse(list)
	return list[:min(limit, len(list))], err
}

// fitting leaves out the oldest messages if the texts are too long for a page.
func fitting(list []parley.Message, limit int) (prior parley.Message, _ []parley.Message) {
	size := 0
	for i := len(list) - 1; i >= 0; i-- {
		size += len(list[i].Body) + len(list[i].Context)
		if len(list)-i > limit || size > pageBytes && i < len(list)-1 {
			return list[i], list[i+1:]
		}
	}
	return prior, list
}

// lines reads what is shown of messages besides their texts.
func (s *Service) lines(tx *store.Tx, c access.Caller, list []parley.Message) ([]Line, error) {
	ids := make([]parley.MessageID, len(list))
	var tasks []parley.TaskID
	for i, m := range list {
		ids[i] = m.ID
		if m.Task != 0 && !slices.Contains(tasks, m.Task) {
			tasks = append(tasks, m.Task)
		}
	}
	deliveries, err := tx.DeliveriesOf(ids)
	if err != nil {
		return nil, err
	}
	attached, err := tx.AttachmentsOf(ids)
	if err != nil {
		return nil, err
	}
	work, err := tx.TasksOf(tasks)
	if err != nil {
		return nil, err
	}
	started, err := tx.MentionTasks(ids)
	if err != nil {
		return nil, err
	}
	lines := make([]Line, len(list))
	for i, m := range list {
		lines[i] = Line{Message: m, Deliveries: deliveries[m.ID], Attached: attached[m.ID]}
		if t := work[m.Task]; s.seesTask(c, t) {
			lines[i].Work = t
		}
		for _, t := range started[m.ID] {
			if s.seesTask(c, t) {
				lines[i].Started = append(lines[i].Started, t)
			}
		}
	}
	return lines, nil
}
