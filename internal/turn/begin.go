package turn

import (
	"context"
	"encoding/json"
	"slices"

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

// loadHistory reads what was said in the thread before the request.
func (t *run) loadHistory(tx *store.Tx) error {
	var err error
	if t.thread, err = tx.Thread(t.task.Thread); err != nil {
		return err
	}
	if t.channel, err = tx.Channel(t.thread.Channel); err != nil {
		return err
	}
	t.history, err = tx.Back(t.asked.Prev, 0, historySize)
	slices.Reverse(t.history)
	return err
}

// begin starts a turn: what it is going to show is stored, and counts as seen
// from then on.
func (t *run) begin(ctx context.Context) error {
	var task parley.Task
	var inbox []parley.Message
	err := t.Store.Update(ctx, func(tx *store.Tx) error {
		var err error
		if task, err = t.fence(tx); err != nil {
			return err
		}
		inbox = nil
		if task.InboxCount > t.inboxRead {
			if inbox, err = tx.Inbox(task.ID, t.inboxRead, task.InboxCount); err != nil {
				return err
			}
		}
		content, err := json.Marshal(promptStep{Inbox: task.InboxCount, Notices: ids(t.news)})
		if err != nil {
			return err
		}
		task.Turns++
		task.InboxRead = task.InboxCount
		tx.UpdateProgress(&task)
		tx.InsertStep(parley.Step{Task: task.ID, Turn: task.Turns, N: 1, Kind: parley.StepPrompt, Content: content})
		for _, m := range slices.Concat(t.fresh, t.news, inbox) {
			tx.MarkSeen(m.ID, t.lease.Agent)
		}
		if t.readTo > t.read {
			tx.SetRead(t.thread.ID, t.lease.Agent, t.readTo)
		}
		tx.Record(parley.Event{Team: task.Team, Kind: parley.EventTurn, Actor: task.Agent, Task: task.ID})
		return nil
	})
	if err != nil {
		return err
	}
	t.task, t.underWay, t.replies, t.steps = task, true, 0, 1
	for _, m := range t.news {
		t.notice(task.Turns, m)
	}
	for _, m := range inbox {
		t.past = append(t.past, t.render(m))
	}
	t.inboxRead = task.InboxCount
	return nil
}

// loadUnseen finds what the agent is about to be shown for the first time: the
// request, what is new in the history, and news beyond it. Requests of other
// tasks that came later wait for their own turns.
func (t *run) loadUnseen(tx *store.Tx) error {
	var err error
	if t.read, err = tx.Read(t.thread.ID, t.lease.Agent); err != nil {
		return err
	}
	t.readTo = t.thread.Count
	if t.task.Turns == 0 {
		t.fresh = append(t.newHistory(), t.asked)
	}
	if t.thread.Last == t.asked.ID && t.read >= t.shownFrom()-1 {
		return nil // the usual case: everything new is in the history
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
	return err
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
