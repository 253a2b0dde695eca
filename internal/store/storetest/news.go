package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// news: notifications that the agent has not seen, and the ends of tasks that it did
// not wait for in a task; nothing that is for others.
func news(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	person := w.task(parley.Task{Callback: parley.CallbackNone})
	delegated := w.task(parley.Task{Callback: parley.CallbackResult})
	var ids []parley.MessageID
	w.update(func(tx *store.Tx) error {
		ids = nil
		for _, m := range []parley.Message{
			{Kind: parley.NotificationMessage},
			{Kind: parley.NotificationMessage}, // seen
			{Kind: parley.ReplyMessage, Task: person.ID},
			{Kind: parley.ReplyMessage, Task: delegated.ID}, // arrived as a result
			{Kind: parley.AskMessage},
			{Kind: parley.FailureMessage, Task: person.ID},
			{Kind: parley.NotificationMessage},
			{Kind: parley.ResultMessage, Task: person.ID},    // of a message that was sent
			{Kind: parley.ResultMessage, Task: delegated.ID}, // in the inbox of a task
			{Kind: parley.PostMessage},
			{Kind: parley.PostMessage}, // mentions Bob, who has a task for it
		} {
			m.Team, m.Thread, m.Author = w.team.ID, c.Main, w.ann.ID
			if err := tx.Post(&m, store.Recipient{ID: w.bob.ID}); err != nil {
				return err
			}
			ids = append(ids, m.ID)
		}
		tx.MarkSeen(ids[1], w.bob.ID)
		w.insert(tx, parley.Task{Pattern: parley.Mention, Request: ids[10]})
		return nil
	})
	w.view(func(tx *store.Tx) error {
		thread, err := tx.Thread(c.Main)
		if err != nil {
			return err
		}
		for _, test := range []struct {
			of           parley.AgentID
			after, limit int
			want         []parley.MessageID
		}{
			{w.bob.ID, 0, 10, []parley.MessageID{ids[0], ids[2], ids[5], ids[6], ids[7], ids[9]}},
			{w.bob.ID, 1, 2, []parley.MessageID{ids[2], ids[5]}},
			{w.bob.ID, 10, 10, nil},
			{w.ann.ID, 0, 10, nil},
		} {
			list, err := tx.News(thread, test.of, test.after, test.limit)
			var got []parley.MessageID
			for _, m := range list {
				got = append(got, m.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("of %d after %d: %v %s", test.of, test.after, err, diff)
			}
		}
		return nil
	})
}
