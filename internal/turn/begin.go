package turn

import (
	"parley"
	"parley/internal/store"
)

// newsSize is how much of what an agent has not seen is added beyond the history at
// once; the rest follows at its next turn.
const newsSize = 200

// beginning is what a turn begins with: the step that says so, the messages that it
// names, and what is marked when it is stored.
type beginning struct {
	prompt prompt
	mail
	start    parley.TurnStart
	gathered string // by those who forwarded the question that is the request
}

// loadBeginning finds what the turn that is about to begin shows for the first
// time: what came back to the task, and what is unseen in its thread.
func (r *run) loadBeginning(tx *store.Tx, h parley.Handover, read int) (b beginning, err error) {
	thread := h.Thread
	var m mail
	if m.inbox, err = r.readInbox(tx, r.task.InboxCount); err != nil {
		return b, err
	}
	readTo := thread.Count
	switch {
	case r.place.Kind == parley.Group:
		readTo = r.asked.N // what was posted later stays unread
	case r.hasNews(thread, read):
		if m.notices, readTo, err = r.news(tx, thread, read); err != nil {
			return b, err
		}
	}
	b = r.beginning(m, read, readTo)
	if h.Mail {
		if err := r.loadUnread(tx, &b); err != nil {
			return b, err
		}
	}
	b.gathered, err = r.loadGathered(tx)
	return b, err
}

// readNews reads what the agent has not seen of its thread after a place, and how far
// it has read the thread with that.
func (r *run) readNews(tx *store.Tx, thread parley.Thread, after int) (list []parley.Message, readTo int, err error) {
	list, err = tx.News(thread, r.lease.Agent, after, newsSize)
	if len(list) == newsSize {
		return list, list[newsSize-1].N, err
	}
	return list, thread.Count, err
}

// news reads what the agent has not seen of its thread beyond the history, and how
// far it has read the thread with that. Requests of other tasks that came later
// wait for their own turns.
func (r *run) news(tx *store.Tx, thread parley.Thread, read int) (list []letter, readTo int, err error) {
	all, readTo, err := r.readNews(tx, thread, read)
	if err != nil {
		return nil, 0, err
	}
	var news []parley.Message
	for _, m := range all {
		if inHistory := m.N >= r.shownFrom() && m.N < r.asked.N; !inHistory {
			news = append(news, m)
		}
	}
	list, err = r.names.letters(tx, news)
	return list, readTo, err
}

// beginning is that of the next turn, with the mail that it shows. read and readTo
// are how far the agent has read the thread before and after.
func (t *transcript) beginning(m mail, read, readTo int) beginning {
	b := beginning{mail: m}
	b.prompt = prompt{Inbox: t.task.InboxCount, Notices: idsOf(m.notices), Open: t.task.OpenChildren}
	b.start = parley.TurnStart{Turn: t.task.Turns + 1, Inbox: t.task.InboxCount, Request: t.task.Turns == 0}
	if t.task.Turns == 0 {
		b.start.Seen = t.newHistory(read)
	}
	b.start.Seen = append(b.start.Seen, m.ids()...)
	if readTo > read {
		b.start.ReadTo = readTo
	}
	if t.place.Kind == parley.Group {
		b.start.Group = t.place.ID
		b.prompt.Unseen = max(0, t.shownFrom()-1-read)
	}
	return b
}

// hasNews reports whether there is anything new beyond the history, which is rare.
func (t *transcript) hasNews(thread parley.Thread, read int) bool {
	return thread.Last != t.asked.ID || read < t.shownFrom()-1
}

// newHistory is what others wrote in the history and the agent has not seen.
func (t *transcript) newHistory(read int) (list []parley.MessageID) {
	for _, m := range t.history {
		if m.N > read && m.Author != t.task.Agent {
			list = append(list, m.ID)
		}
	}
	return list
}

// shownFrom is the number of the oldest message of the history.
func (t *transcript) shownFrom() int {
	if len(t.history) == 0 {
		return t.asked.N
	}
	return t.history[0].N
}

func idsOf(list []letter) []parley.MessageID { return mail{notices: list}.ids() }
