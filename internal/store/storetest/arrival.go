package storetest

import (
	"testing"

	"parley"
	"parley/internal/store"
)

// quiet: whoever knew of everything that had come for a task learns without reading that
// nothing has come since. Where others write too nobody can know.
func quiet(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	task := w.task(parley.Task{State: parley.Running, Thread: c.Main, Agent: w.bob.ID})
	other := w.task(parley.Task{State: parley.Running, Thread: c.Main, Agent: w.ann.ID})
	var aside parley.Thread
	w.update(func(tx *store.Tx) error {
		aside = tx.InsertThread(c)
		return nil
	})
	post := func(in parley.ThreadID, to store.Recipient) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			return tx.Post(&parley.Message{Team: w.team.ID, Thread: in, Author: w.ann.ID, Kind: parley.NotificationMessage, Body: "x"}, to)
		}
	}
	put := func(id parley.TaskID) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			list, err := tx.LockTasks(id)
			if err == nil {
				tx.PutInbox(&list[0], 1)
				tx.UpdateProgress(&list[0])
			}
			return err
		}
	}
	for _, c := range []struct {
		name  string
		do    func(tx *store.Tx) error
		quiet bool
	}{
		{"a message elsewhere", post(aside.ID, store.Recipient{ID: w.bob.ID}), true},
		{"mail for somebody else", post(aside.ID, store.Recipient{ID: w.ann.ID, Mail: true, About: store.AnyTask}), true},
		{"a result for another task", put(other.ID), true},
		{"a message in its thread", post(c.Main, store.Recipient{ID: w.ann.ID}), false},
		{"mail", post(aside.ID, store.Recipient{ID: w.bob.ID, Mail: true, About: task.ID}), false},
		{"a result", put(task.ID), false},
		{"mail that is unseen again", func(tx *store.Tx) error { tx.Unsee(1, w.bob.ID); return nil }, false},
	} {
		var still func() bool
		w.update(func(tx *store.Tx) error {
			still = tx.Quiet(&task)
			return nil
		})
		if w.Shared() {
			if still != nil {
				t.Error("it is quiet where others write too")
			}
			continue
		}
		if !still() {
			t.Errorf("%s: it is not quiet before", c.name)
		}
		w.update(c.do)
		if still() != c.quiet {
			t.Errorf("%s: quiet is %v", c.name, !c.quiet)
		}
	}
	w.view(func(tx *store.Tx) error {
		if tx.Quiet(&task) != nil {
			t.Error("a reader knows what is written meanwhile")
		}
		return nil
	})
}
