package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// sendMail stores mail from Ann to Bob, about a task or none.
func (w *world) sendMail(in parley.ThreadID, body string, about parley.TaskID) (m parley.Message) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		m = parley.Message{Team: w.team.ID, Thread: in, Author: w.ann.ID, Kind: parley.NotificationMessage, Body: body}
		return tx.Post(&m, store.Recipient{ID: w.bob.ID, Mail: true, About: about})
	})
	return m
}

func idsOf(list []parley.Message) (ids []parley.MessageID) {
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// unreadMail: what is unread can be told from everything else that an agent has not seen,
// and whoever begins a turn or goes on with one learns of it without asking for it.
func unreadMail(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	task := w.task(parley.Task{State: parley.Running, Thread: c.Main})
	var other parley.Thread
	w.update(func(tx *store.Tx) error {
		other = tx.InsertThread(c)
		m, err := w.post(tx, c.Main, "a request", w.bob)
		task.Request = m.ID
		return err
	})
	flags := func() (contact, working bool) {
		w.update(func(tx *store.Tx) error {
			state, err := tx.ContactState(w.ann.ID, w.bob.ID, 0, "")
			if err != nil {
				return err
			}
			now, err := tx.LockWorking(task.ID, w.bob.ID, c.Main)
			contact, working = state.Mail, now.Mail
			return err
		})
		w.view(func(tx *store.Tx) error {
			now, err := tx.Working(task.ID, w.bob.ID, c.Main)
			if now.Mail != working || now.Task.ID != task.ID || now.Thread.ID != c.Main {
				t.Errorf("read without the lock: %+v", now)
			}
			return err
		})
		return contact, working
	}
	if contact, working := flags(); contact || working {
		t.Errorf("a request is mail: %v, %v", contact, working)
	}
	first, long, third := w.sendMail(c.Main, "one", 0), w.sendMail(c.Main, "number two", 0), w.sendMail(other.ID, "three", task.ID)
	urgent := w.sendMail(other.ID, "four", store.AnyTask)
	w.sendMail(other.ID, "five", task.ID+1)
	if contact, working := flags(); !contact || !working {
		t.Errorf("mail is not noticed: %v, %v", contact, working)
	}
	w.view(func(tx *store.Tx) error {
		for _, test := range []struct {
			filter store.MailFilter
			want   []parley.MessageID
		}{
			{store.MailFilter{To: w.bob.ID, Limit: 3}, []parley.MessageID{first.ID, long.ID, third.ID}},
			{store.MailFilter{To: w.bob.ID, Limit: 1, After: first.ID}, []parley.MessageID{long.ID}},
			{store.MailFilter{To: w.bob.ID, Limit: 2, Longest: 5}, []parley.MessageID{first.ID, third.ID}},
			{store.MailFilter{To: w.bob.ID, Limit: 2, Except: c.Main}, []parley.MessageID{third.ID, urgent.ID}},
			{store.MailFilter{To: w.bob.ID, Limit: 1, Within: c.ID}, []parley.MessageID{first.ID}},
			{store.MailFilter{To: w.bob.ID, Limit: 1, Within: c.ID + 1}, nil},
			{store.MailFilter{To: w.ann.ID, Limit: 1}, nil},
		} {
			list, err := tx.UnreadMail(test.filter)
			if d := cmp.Diff(test.want, idsOf(list)); d != "" || err != nil {
				t.Errorf("%+v: %v %s", test.filter, err, d)
			}
		}
		about, err := tx.MailAbout(w.bob.ID, task.ID, c.Main, 10)
		if d := cmp.Diff([]parley.MessageID{third.ID, urgent.ID}, idsOf(about)); d != "" || err != nil {
			t.Errorf("about the task: %v %s", err, d)
		}
		newest := []store.MailNote{{ID: urgent.ID, From: w.ann.ID, Urgent: true}, {ID: third.ID, From: w.ann.ID}}
		for limit, want := range [][]store.MailNote{1: newest[:1], 2: newest} {
			notes, err := tx.MailNotes(w.bob.ID, task.ID, c.Main, limit)
			if d := cmp.Diff(want, notes); d != "" || err != nil {
				t.Errorf("notes of mail about the task: %v %s", err, d)
			}
		}
		count, from, err := tx.MailSenders(store.MailFilter{To: w.bob.ID, Except: c.Main})
		if count != 3 || len(from) != 1 || from[0] != w.ann.ID || err != nil {
			t.Errorf("%d from %v, %v", count, from, err)
		}
		unread, err := tx.Unread(w.team.ID)
		if d := cmp.Diff(map[parley.AgentID]store.Unread{w.bob.ID: {Count: 5, Since: first.At}}, unread); d != "" || err != nil {
			t.Errorf("unread: %v %s", err, d)
		}
		return nil
	})
	w.update(func(tx *store.Tx) error {
		tx.MarkSeen(third.ID, w.bob.ID)
		tx.MarkSeen(urgent.ID, w.bob.ID)
		return nil
	})
	if contact, working := flags(); !contact || working {
		t.Errorf("what was seen still is news: %v, %v", contact, working)
	}
}

// mailIsTakenOnce: of several transactions that take the same mail at once, each piece
// is fresh to one, and none meets a deadlock with one that marks it.
func mailIsTakenOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	for range lockRounds {
		var ids []parley.MessageID
		for range 4 {
			ids = append(ids, w.sendMail(c.Main, "news", 0).ID)
		}
		var mu sync.Mutex
		fresh := map[parley.MessageID]int{}
		atOnce(t, 5, func(i int) error {
			var got []parley.MessageID
			err := w.counted(func(tx *store.Tx) (err error) {
				if i == 4 {
					tx.MarkDelivered(ids[3], w.bob.ID)
					tx.MarkDelivered(ids[0], w.bob.ID)
					return nil
				}
				got, err = tx.TakeMail([]parley.MessageID{ids[(i+1)%4], ids[i], ids[(i+2)%4]}, w.bob.ID)
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			for _, id := range got {
				fresh[id]++
			}
			return err
		})
		for _, id := range ids {
			if fresh[id] != 1 {
				t.Errorf("%s was fresh %d times", id, fresh[id])
			}
		}
	}
	err := w.View(context.Background(), func(tx *store.Tx) error {
		left, err := tx.UnreadMail(store.MailFilter{To: w.bob.ID, Limit: 1})
		if len(left) > 0 {
			t.Errorf("unread: %v", left)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
