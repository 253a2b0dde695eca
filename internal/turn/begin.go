package turn

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// historySize is how many messages of the conversation an agent is shown.
	historySize = 20
	// newsSize is how much of what it has not seen is added beyond them at once;
	// the rest follows at its next turn.
	newsSize = 200
)

// begin starts a turn with what was loaded.
func (t *run) begin() {
	t.number, t.underWay, t.replies, t.steps, t.failures, t.rounds, t.peer = t.task.Turns+1, true, 0, 0, 0, 0, ""
	t.start = &parley.TurnStart{Turn: t.number, Inbox: t.task.InboxCount, Request: t.task.Turns == 0}
	for _, m := range slices.Concat(t.fresh, t.news, t.inbox) {
		t.start.Seen = append(t.start.Seen, m.ID)
	}
	if t.readTo > t.read {
		t.start.ReadTo = t.readTo
	}
	t.lookedTo = max(t.readTo, t.read)
	if t.channel.Kind == parley.Group {
		t.start.Group = t.channel.ID
	}
	for _, m := range t.news {
		t.notice(t.number, m)
	}
	for _, m := range t.inbox {
		t.recall(m)
	}
	t.inboxRead = t.task.InboxCount
}

// promptDelay is how long a model may think before the start of its turn is
// stored by itself. A model that answers at once, as a scripted one does, saves
// a commit.
const promptDelay = 50 * time.Millisecond

func (t *run) storePrompt(ctx context.Context) error {
	step, err := t.next(parley.StepPrompt, t.prompt())
	if err != nil {
		return err
	}
	return t.storeSteps(ctx, nil, step)
}

// prompt is what is needed to show the same again.
func (t *run) prompt() *prompt {
	p := &prompt{Inbox: t.start.Inbox, Notices: ids(t.news)}
	if t.number == 1 {
		p.Relevant = t.relevant
	}
	return p
}

// loadNew finds what the turn that is about to begin shows for the first time:
// what came back to the task, and what is unseen in its thread.
func (t *run) loadNew(tx *store.Tx) (err error) {
	if t.task.InboxCount > t.inboxRead {
		if t.inbox, err = tx.Inbox(t.task.ID, t.inboxRead, t.task.InboxCount); err != nil {
			return err
		}
		if err := t.meetAuthors(tx, t.inbox); err != nil {
			return err
		}
	}
	return t.loadUnseen(tx)
}

// loadUnseen finds what the agent is about to be shown for the first time: the
// request, what is new in the history, and news beyond it. Requests of other
// tasks that came later wait for their own turns.
func (t *run) loadUnseen(tx *store.Tx) error {
	if t.channel.Kind == parley.Group {
		t.readChannel()
		return nil
	}
	if t.readHistory() {
		return nil
	}
	news, err := tx.News(t.thread, t.lease.Agent, t.read, newsSize)
	for _, m := range news {
		if inHistory := m.N >= t.shownFrom() && m.N < t.asked.N; !inHistory {
			t.news = append(t.news, m)
		}
	}
	if len(news) == newsSize {
		t.readTo = news[newsSize-1].N
	}
	if err != nil {
		return err
	}
	return t.meetAuthors(tx, t.news)
}

// readHistory finds what is new in the history, and reports whether nothing is
// new beyond it, as usual.
func (t *run) readHistory() bool {
	t.readTo = t.thread.Count
	if t.task.Turns == 0 {
		t.fresh = t.newHistory()
	}
	return t.thread.Last == t.asked.ID && t.read >= t.shownFrom()-1
}

// newHistory is what others wrote in the history and the agent has not seen.
func (t *run) newHistory() (list []parley.Message) {
	for _, m := range t.history {
		if m.N > t.read && m.Author != t.lease.Agent {
			list = append(list, m)
		}
	}
	return list
}

// shownFrom is the number of the oldest message of the history.
func (t *run) shownFrom() int {
	if len(t.history) == 0 {
		return t.asked.N
	}
	return t.history[0].N
}

func ids(list []parley.Message) (out []parley.MessageID) {
	for _, m := range list {
		out = append(out, m.ID)
	}
	return out
}
