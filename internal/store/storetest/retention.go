package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// ended stores an ended task with a request and a reply, both seen.
func (w *world) ended(t parley.Task, in parley.ThreadID) (task parley.Task, request, reply parley.Message) {
	w.t.Helper()
	t.Thread = in
	w.update(func(tx *store.Tx) (err error) {
		task = parley.Task{ID: tx.NewTaskID()}
		request = parley.Message{Team: w.team.ID, Thread: in, Author: w.ann.ID, Kind: parley.DelegateMessage, Body: "Do.", Task: task.ID}
		reply = parley.Message{Team: w.team.ID, Thread: in, Author: w.bob.ID, Kind: parley.ReplyMessage, Body: "Done.", Task: task.ID}
		err = tx.Post(&request, store.Recipient{ID: w.bob.ID})
		t.Request, t.Title = request.ID, "Do."
		task = w.insertAs(tx, t, task.ID)
		err = errors.Join(err, tx.Post(&reply, store.Recipient{ID: w.ann.ID}))
		tx.MarkSeen(request.ID, w.bob.ID)
		tx.MarkSeen(reply.ID, w.ann.ID)
		task.Result, task.State, task.EndedAt, task.Error = reply.ID, parley.Completed, tx.Now, "why"
		tx.UpdateTask(&task)
		tx.InsertStep(parley.Step{Task: task.ID, Turn: 1, N: 1, Kind: parley.StepReply, Content: []byte(`{}`)})
		tx.InsertAttachment(reply.ID, "the whole")
		return err
	})
	return task, request, reply
}

// sweep removes what is older than a day, three at a time, and returns it.
func (w *world) sweep() (removed []parley.MessageID) {
	w.t.Helper()
	for place, done := parley.MessageID(0), false; !done; {
		w.update(func(tx *store.Tx) error {
			page, err := tx.OldMessages(w.team.ID, place, tx.Now.Add(-24*time.Hour), 3)
			tx.RemoveMessages(page.Remove)
			removed = append(removed, page.Remove...)
			place, done = page.Next, page.Done
			return err
		})
	}
	return removed
}

func oldMessages(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	thread := w.dm().Main
	task, request, reply := w.ended(parley.Task{}, thread)
	clock.move(48 * time.Hour)
	_, young, _ := w.ended(parley.Task{}, thread)
	if got := w.sweep(); !slices.Equal(got, []parley.MessageID{request.ID, reply.ID}) {
		t.Errorf("removed %v", got)
	}
	if got := w.sweep(); len(got) != 0 {
		t.Errorf("removed again: %v", got)
	}
	left := w.readTask(task.ID)
	if left.State != parley.Completed || left.EndedAt == 0 || left.Agent != w.bob.ID {
		t.Errorf("the task's row: %+v", left)
	}
	if left.Request != 0 || left.Result != 0 || left.Title != "" || left.Error != "" {
		t.Errorf("the task still says: %+v", left)
	}
	w.reopen(open, clock)
	w.view(func(tx *store.Tx) error {
		steps, err := tx.Steps(task.ID)
		to, err2 := tx.Deliveries(request.ID)
		_, err3 := tx.Attachment(reply.ID)
		if len(steps)+len(to) != 0 || !errors.Is(err3, store.ErrNotFound) {
			t.Errorf("left behind: %v, %v, %v", steps, to, err3)
		}
		return errors.Join(err, err2)
	})
	// The history ends where the older part was removed, and the numbers continue.
	w.update(func(tx *store.Tx) error {
		m, err := w.post(tx, thread, "Next.", w.bob)
		if m.N != 5 || m.ID <= young.ID {
			t.Errorf("the next is number %d, %s", m.N, m.ID)
		}
		list, backErr := tx.Back(m.Thread, m.ID, 0, 20)
		if len(list) != 3 {
			t.Errorf("the history has %d messages", len(list))
		}
		return errors.Join(err, backErr)
	})
}

// reopen closes the store and opens it again with nothing cached.
func (w *world) reopen(open Open, clock *manualClock) {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.Store = mustOpen(w.t, open, clock.now)
}

func neededMessages(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	thread := w.dm().Main
	root := w.task(parley.Task{State: parley.Waiting})
	w.ended(parley.Task{Parent: root.ID, Root: root.ID}, thread) // its tree is open
	var kept []parley.Message
	w.update(func(tx *store.Tx) error {
		unread, err := w.post(tx, thread, "Unread.", w.carol)
		unseen, err2 := w.post(tx, thread, "Unseen.", w.bob)
		from := parley.Message{Team: w.team.ID, Thread: thread, Author: w.ann.ID, Kind: parley.NotificationMessage, Body: "Of open work.", Origin: root.ID}
		err3 := tx.Post(&from, store.Recipient{ID: w.bob.ID})
		tx.MarkSeen(from.ID, w.bob.ID)
		kept = append(kept, unread, unseen, from)
		return errors.Join(err, err2, err3)
	})
	newest := parley.Message{}
	w.update(func(tx *store.Tx) (err error) {
		newest, err = w.post(tx, thread, "The newest of all.", w.bob)
		tx.MarkSeen(newest.ID, w.bob.ID)
		return err
	})
	clock.move(48 * time.Hour)
	if got := w.sweep(); len(got) != 0 {
		t.Errorf("removed %v", got)
	}
	w.update(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(root.ID)
		tasks[0].State, tasks[0].EndedAt = parley.Completed, tx.Now
		tx.UpdateTask(&tasks[0])
		return err
	})
	if got := w.sweep(); len(got) != 0 {
		t.Errorf("removed as soon as the tree had ended: %v", got)
	}
	clock.move(48 * time.Hour)
	if got := w.sweep(); len(got) != 3 { // request, reply, and what the tree's root sent
		t.Errorf("removed %v of %v", got, kept)
	}
}

func oldEvents(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	record := func(detail string) {
		w.update(func(tx *store.Tx) error {
			tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventStatus, Detail: detail})
			tx.Record(parley.Event{Team: w.team.ID + 1, Kind: parley.EventStatus, Detail: "another team's"})
			return nil
		})
	}
	for _, detail := range []string{"a", "b", "c"} {
		record(detail)
	}
	clock.move(48 * time.Hour)
	record("d")
	count := 0
	for cursor, done := "", false; !done; {
		w.update(func(tx *store.Tx) error {
			before := tx.Now.Add(-24 * time.Hour)
			page, err := tx.OldEvents(w.team.ID, cursor, before, 2)
			if err == nil && page.Count > 0 {
				err = tx.RemoveEvents(w.team.ID, cursor, page.Next, before)
			}
			count += page.Count
			cursor, done = page.Next, page.Done
			return err
		})
	}
	w.view(func(tx *store.Tx) error {
		list, _, err := tx.Events(w.team.ID, "", 10)
		other, _, err2 := tx.Events(w.team.ID+1, "", 10)
		if got := details(list); got != "d" || count != 3 || len(other) != 4 {
			t.Errorf("left: %q and %d of another team, counted %d", got, len(other), count)
		}
		return errors.Join(err, err2)
	})
}

// A request from outside is removed with the message that it led to, or alone if it
// led to none.
func oldRequests(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	_, request, _ := w.ended(parley.Task{}, w.dm().Main)
	made := map[parley.ApprovalState]parley.ApprovalID{}
	w.update(func(tx *store.Tx) error {
		for _, state := range []parley.ApprovalState{parley.ApprovalApproved, parley.ApprovalDenied, parley.ApprovalPending, parley.ApprovalExpired} {
			a := parley.Approval{Team: w.team.ID, Agent: w.ann.ID, Tool: "contact_agent", Args: `{}`, ExpiresAt: tx.Now + 1}
			tx.InsertApproval(&a)
			if a.State = state; state == parley.ApprovalApproved {
				a.Message = request.ID
			}
			a.DecidedAt = tx.Now
			tx.UpdateApproval(&a)
			made[state] = a.ID
		}
		return nil
	})
	clock.move(48 * time.Hour)
	w.ended(parley.Task{}, w.dm().Main)
	w.sweep()
	w.update(func(tx *store.Tx) error {
		before := tx.Now.Add(-24 * time.Hour)
		n, err := tx.OldRequests(w.team.ID, before)
		other, err2 := tx.OldRequests(w.team.ID+1, before)
		if n != 1 || other != 0 {
			t.Errorf("%d are old, %d of another team", n, other)
		}
		tx.RemoveRequests(w.team.ID, before)
		left, err3 := tx.Approvals(w.team.ID, 10)
		if len(left) != 2 || left[0].ID != made[parley.ApprovalExpired] || left[1].ID != made[parley.ApprovalPending] {
			t.Errorf("left: %+v", left) // the newest, and what waits
		}
		return errors.Join(err, err2, err3)
	})
}
