package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func taskRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	want := w.task(parley.Task{
		Parent: 2, Root: 3, RetryOf: 4, Pattern: parley.Ask, Requester: 5, Agent: 6, Thread: 7, Request: 8, Title: "title",
		Priority: parley.Urgent, State: parley.Running, Callback: parley.CallbackReply, Due: 9, Deadline: 10, WaitUntil: 11,
		AskDepth: 12, DelegationDepth: 13, Worker: 14, Token: 15, StartedAt: 16,
		Chain: 17, Mentions: 18, MentionsTold: true, Resumes: 19,
	})
	if diff := cmp.Diff(want, w.readTask(want.ID)); diff != "" || want.CreatedAt == 0 {
		t.Errorf("inserted at %d: %s", want.CreatedAt, diff)
	}
	w.update(func(tx *store.Tx) error {
		want.State, want.Callback, want.Due, want.Deadline, want.WaitUntil = parley.TaskFailed, parley.CallbackLate, 20, 21, 22
		want.OpenChildren, want.InboxCount, want.InboxRead, want.Turns = 23, 24, 25, 26
		want.Worker, want.Token, want.Rescues, want.Result, want.Error = 27, 28, 29, 30, "broken"
		want.EndedBy, want.StartedAt, want.EndedAt, want.Approvals = 31, 32, 33, 34
		tx.UpdateTask(&want)
		want.Mentions, want.MentionsTold = 35, false
		tx.SetMentions(want.ID, 35, false)
		return nil
	})
	if diff := cmp.Diff(want, w.readTask(want.ID)); diff != "" {
		t.Errorf("updated: %s", diff)
	}
}

func claimableOrder(t *testing.T, open Open) {
	w := newWorld(t, open)
	var ids []parley.TaskID
	for _, task := range []parley.Task{
		{Priority: parley.Normal}, {Priority: parley.Low}, {Priority: parley.Urgent}, {Priority: parley.Normal},
		{Priority: parley.High}, {Priority: parley.Urgent},
		{Priority: parley.Urgent, Due: 5}, {Priority: parley.Urgent, State: parley.Running},
		{Priority: parley.Urgent, State: parley.Waiting}, {Priority: parley.Urgent, State: parley.Cancelled},
		{Priority: parley.Urgent, Agent: w.ann.ID},
	} {
		ids = append(ids, w.task(task).ID)
	}
	want := []parley.TaskID{ids[2], ids[5], ids[4], ids[0], ids[3], ids[1]}
	for _, limit := range []int{10, 4} {
		w.update(func(tx *store.Tx) error {
			list, err := tx.Claimable(w.bob.ID, limit)
			var got []parley.TaskID
			for _, task := range list {
				got = append(got, task.ID)
			}
			if diff := cmp.Diff(want[:min(limit, len(want))], got); diff != "" {
				t.Errorf("at most %d: %s", limit, diff)
			}
			return err
		})
	}
}

// claimersNeverShare lets many workers take tasks at once. A claim is a
// compare-and-set: queued before, running under a new token after.
func claimersNeverShare(t *testing.T, open Open) {
	w := newWorld(t, open)
	const tasks, claimers = 120, 12
	w.update(func(tx *store.Tx) error {
		for range tasks {
			w.insert(tx, parley.Task{})
		}
		return nil
	})
	var mu sync.Mutex
	owner := map[parley.TaskID]int64{}
	atOnce(t, claimers, func(i int) error {
		for {
			claimed, left, err := w.claim(int64(i + 1))
			if err != nil {
				return err
			}
			mu.Lock()
			for _, id := range claimed {
				if owner[id] != 0 {
					t.Errorf("%v was taken by %d and %d", id, owner[id], i+1)
				}
				owner[id] = int64(i + 1)
			}
			mu.Unlock()
			if left == 0 {
				return nil
			}
		}
	})
	if len(owner) != tasks {
		t.Errorf("%d of %d tasks were taken", len(owner), tasks)
	}
	for id, worker := range owner {
		if got := w.readTask(id); got.Worker != worker || got.Token != 1 || got.State != parley.Running {
			t.Errorf("%v of worker %d is stored as %v of %d, token %d", id, worker, got.State, got.Worker, got.Token)
		}
	}
}

// claim takes up to four tasks and says how many are still queued.
func (w *world) claim(worker int64) (ids []parley.TaskID, left int, err error) {
	err = w.Update(context.Background(), func(tx *store.Tx) error {
		ids = nil
		list, err := tx.Claimable(w.bob.ID, 4)
		if err != nil {
			return err
		}
		for _, t := range list {
			t.State, t.Worker, t.Token = parley.Running, worker, t.Token+1
			tx.UpdateTask(&t)
			ids = append(ids, t.ID)
		}
		open, err := tx.AgentOpenTasks(w.bob.ID)
		left = open.Queued
		return err
	})
	return ids, left, err
}

func openTasks(t *testing.T, open Open) {
	w := newWorld(t, open)
	for _, task := range []parley.Task{
		{}, {Due: 5}, {State: parley.Running}, {State: parley.Waiting}, {State: parley.Waiting},
		{State: parley.Completed}, {State: parley.TaskFailed}, {State: parley.Cancelled},
		{State: parley.Running, Agent: w.ann.ID},
	} {
		made := w.task(task)
		if made.State == parley.Waiting {
			made.OpenChildren = 2
			w.update(func(tx *store.Tx) error { tx.UpdateProgress(&made); return nil })
		}
	}
	w.view(func(tx *store.Tx) error {
		want := map[parley.AgentID]parley.OpenTasks{
			w.bob.ID: {Queued: 2, Running: 1, Waiting: 2, Children: 4}, w.ann.ID: {Running: 1},
		}
		got, err := tx.OpenTasks(w.team.ID)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if one, err := tx.AgentOpenTasks(w.bob.ID); one != want[w.bob.ID] || err != nil {
			t.Errorf("of one agent: %+v, %v", one, err)
		}
		if other, _ := tx.OpenTasks(w.team.ID + 1); len(other) != 0 {
			t.Errorf("of another team: %v", other)
		}
		return err
	})
}

func trees(t *testing.T, open Open) {
	w := newWorld(t, open)
	// A task's number is drawn before it is stored, so a child's may be lower
	// than its parent's.
	var early parley.TaskID
	w.update(func(tx *store.Tx) error { early = tx.NewTaskID(); return nil })
	root := w.task(parley.Task{})
	child := w.task(parley.Task{Parent: root.ID, Root: root.ID})
	other := w.task(parley.Task{Parent: root.ID, Root: root.ID})
	grand := w.task(parley.Task{Parent: child.ID, Root: root.ID})
	w.task(parley.Task{})
	w.update(func(tx *store.Tx) error {
		tx.InsertTask(&parley.Task{ID: early, Team: w.team.ID, Parent: grand.ID, Root: root.ID, State: parley.Queued})
		return nil
	})
	w.view(func(tx *store.Tx) error {
		tree, err := tx.Subtree(root.ID)
		if diff := cmp.Diff([]parley.TaskID{root.ID, child.ID, other.ID, grand.ID, early}, taskIDs(tree)); diff != "" {
			t.Errorf("the tree: %s", diff)
		}
		branch, _ := tx.Subtree(child.ID)
		if diff := cmp.Diff([]parley.TaskID{child.ID, grand.ID, early}, taskIDs(branch)); diff != "" {
			t.Errorf("a branch: %s", diff)
		}
		if none, err := tx.Subtree(0); len(none) != 0 || err != nil {
			t.Errorf("roots are nobody's children: %v, %v", taskIDs(none), err)
		}
		return err
	})
	w.update(func(tx *store.Tx) error {
		list, err := tx.LockTasks(root.ID, 0, grand.ID)
		if err != nil || len(list) != 3 || list[0].ID != root.ID || list[1].ID != 0 || list[2].ID != grand.ID {
			t.Errorf("locked: %v, %v", taskIDs(list), err)
		}
		return nil
	})
}

func taskIDs(list []parley.Task) (ids []parley.TaskID) {
	for _, t := range list {
		ids = append(ids, t.ID)
	}
	return ids
}

func taskLists(t *testing.T, open Open) {
	w := newWorld(t, open)
	root := w.task(parley.Task{})
	child := w.task(parley.Task{Parent: root.ID, Root: root.ID, Agent: w.ann.ID})
	ended := w.task(parley.Task{State: parley.Completed})
	for _, c := range []struct {
		filter store.TaskFilter
		want   []parley.TaskID
	}{
		{store.TaskFilter{Limit: 9}, []parley.TaskID{ended.ID, child.ID, root.ID}},
		{store.TaskFilter{Limit: 2}, []parley.TaskID{ended.ID, child.ID}},
		{store.TaskFilter{Limit: 9, Roots: true}, []parley.TaskID{ended.ID, root.ID}},
		{store.TaskFilter{Limit: 9, Open: true}, []parley.TaskID{child.ID, root.ID}},
		{store.TaskFilter{Limit: 9, Agent: w.ann.ID}, []parley.TaskID{child.ID}},
		{store.TaskFilter{Limit: 9, Agent: w.bob.ID, Roots: true, Open: true}, []parley.TaskID{root.ID}},
		{store.TaskFilter{Limit: 9, Ended: true}, []parley.TaskID{ended.ID}},
		{store.TaskFilter{Limit: 9, Before: ended.ID}, []parley.TaskID{child.ID, root.ID}},
		{store.TaskFilter{Limit: 9, Agent: w.bob.ID, Before: ended.ID, State: root.State, Roots: true}, []parley.TaskID{root.ID}},
	} {
		c.filter.Team = w.team.ID
		w.view(func(tx *store.Tx) error {
			list, err := tx.Tasks(c.filter)
			if diff := cmp.Diff(c.want, taskIDs(list)); diff != "" {
				t.Errorf("%+v: %s", c.filter, diff)
			}
			return err
		})
	}
}

func inboxOrder(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	task := w.task(parley.Task{})
	atOnce(t, 16, func(i int) error {
		return w.Update(context.Background(), func(tx *store.Tx) error {
			locked, err := tx.LockTasks(task.ID)
			if err != nil {
				return err
			}
			m, err := w.post(tx, c.Main, fmt.Sprint(locked[0].InboxCount+1))
			tx.PutInbox(&locked[0], m.ID)
			tx.UpdateTask(&locked[0])
			return err
		})
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Inbox(task.ID, 3, 15)
		for i, m := range list {
			if m.Body != fmt.Sprint(i+4) {
				t.Errorf("item %d is %s", i+4, m.Body)
			}
		}
		if stored, _ := tx.Task(task.ID); len(list) != 12 || stored.InboxCount != 16 {
			t.Errorf("%d items of %d", len(list), stored.InboxCount)
		}
		return err
	})
}

func stepOrder(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{})
	for _, at := range [][2]int{{2, 1}, {1, 2}, {1, 1}, {1, 10}, {10, 1}} {
		w.update(func(tx *store.Tx) error {
			tx.InsertStep(parley.Step{Task: task.ID, Turn: at[0], N: at[1], Kind: parley.StepReply, Content: fmt.Append(nil, at)})
			return nil
		})
	}
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertStep(parley.Step{Task: task.ID, Turn: 1, N: 2, Kind: parley.StepReply})
		return nil
	})
	if err == nil {
		t.Error("a step is stored twice")
	}
	w.view(func(tx *store.Tx) error {
		steps, err := tx.Steps(task.ID)
		var got string
		for _, s := range steps {
			got += string(s.Content)
			if s.Task != task.ID || s.Kind != parley.StepReply || s.At == 0 {
				t.Errorf("step %+v", s)
			}
		}
		if want := "[1 1][1 2][1 10][2 1][10 1]"; got != want {
			t.Errorf("steps %s, want %s", got, want)
		}
		return err
	})
}
