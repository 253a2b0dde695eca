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
	// noticeLimit bounds how many unseen messages beyond them are added.
	noticeLimit = 200
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
	notices := t.pickNotices()
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
		content, err := json.Marshal(promptStep{Inbox: task.InboxCount, Notices: ids(notices)})
		if err != nil {
			return err
		}
		task.Turns++
		task.InboxRead = task.InboxCount
		tx.UpdateProgress(&task)
		tx.InsertStep(parley.Step{Task: task.ID, Turn: task.Turns, N: 1, Kind: parley.StepPrompt, Content: content})
		for _, m := range slices.Concat(t.unseen, inbox) {
			tx.MarkSeen(m.ID, t.lease.Agent)
		}
		if len(t.unseen) > 0 {
			tx.SetRead(t.thread.ID, t.lease.Agent, t.thread.Count)
		}
		tx.Record(parley.Event{Team: task.Team, Kind: parley.EventTurn, Actor: task.Agent, Task: task.ID})
		return nil
	})
	if err != nil {
		return err
	}
	t.task, t.underWay, t.replies, t.steps = task, true, 0, 1
	for _, m := range notices {
		t.notice(task.Turns, m)
	}
	for _, m := range inbox {
		t.past = append(t.past, t.render(m))
	}
	t.inboxRead = task.InboxCount
	return nil
}

// loadUnseen reads what the agent has not seen in this thread and is about to
// be shown: the request, what is in the history, and notifications beyond it.
// Requests of other tasks that came later wait for their own turns.
func (t *run) loadUnseen(tx *store.Tx) error {
	read, err := tx.Read(t.thread.ID, t.lease.Agent)
	if err != nil {
		return err
	}
	if t.thread.Last == t.asked.ID && t.asked.N == read+1 {
		t.unseen = []parley.Message{t.asked} // the usual case: nothing but the request is new
		return nil
	}
	all, err := tx.Back(t.thread.Last, read, noticeLimit)
	for _, m := range slices.Backward(all) {
		if m.Author != t.lease.Agent && t.shows(m) {
			t.unseen = append(t.unseen, m)
		}
	}
	return err
}

func (t *run) shows(m parley.Message) bool {
	switch {
	case m.ID == t.asked.ID:
		return true
	case m.Task == t.task.ID:
		return false // it comes through the inbox
	case m.N < t.asked.N:
		return true
	default:
		return m.Kind == parley.NotificationMessage || m.Kind == parley.ReplyMessage
	}
}

// pickNotices leaves out what is shown anyway: the request and the history.
func (t *run) pickNotices() (notices []parley.Message) {
	for _, m := range t.unseen {
		inHistory := len(t.history) > 0 && m.N >= t.history[0].N && m.N < t.asked.N
		if m.ID != t.asked.ID && !inHistory {
			notices = append(notices, m)
		}
	}
	return notices
}

func ids(list []parley.Message) (out []parley.MessageID) {
	for _, m := range list {
		out = append(out, m.ID)
	}
	return out
}
