package storetest

import (
	"context"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/store"
)

// The closures here take the same locks as the use cases, in the order that is fixed
// for all: sender, parent before child, thread last. On an engine with row locks they
// really run against each other. A wrong order would cause a deadlock, and a closure
// would have to run again.

const lockRounds = 15

// counted runs a closure and fails if an engine with row locks had to run it twice.
func (w *world) counted(fn func(tx *store.Tx) error) error {
	var runs atomic.Int32
	err := w.Update(context.Background(), func(tx *store.Tx) error {
		runs.Add(1)
		return fn(tx)
	})
	if n := runs.Load(); n > 1 && w.Shared() {
		w.t.Errorf("a closure ran %d times: it met a deadlock", n)
	}
	return err
}

// finishAgainstCancel: either the child's result comes first and reaches the parent,
// or the cancellation comes first and the result is dropped.
func finishAgainstCancel(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	for range lockRounds {
		parent := w.task(parley.Task{State: parley.Waiting})
		var children []parley.Task
		for range 3 {
			children = append(children, w.child(parent.ID))
		}
		atOnce(t, len(children)+1, func(i int) error {
			if i == len(children) {
				return w.counted(func(tx *store.Tx) error { return w.cancelTree(tx, parent.ID) })
			}
			return w.counted(func(tx *store.Tx) error { return w.finish(tx, c.Main, parent.ID, children[i].ID) })
		})
		ended := w.readTask(parent.ID)
		if ended.State != parley.Cancelled || ended.OpenChildren != 0 {
			t.Errorf("the parent is %v with %d open children", ended.State, ended.OpenChildren)
		}
		completed := 0
		for _, child := range children {
			switch s := w.readTask(child.ID).State; s {
			case parley.Completed:
				completed++
			case parley.Cancelled:
			default:
				t.Errorf("a child is %v", s)
			}
		}
		if ended.InboxCount != completed {
			t.Errorf("%d children completed, the parent heard of %d", completed, ended.InboxCount)
		}
	}
}

// child opens a subtask of a locked parent.
func (w *world) child(parent parley.TaskID) (child parley.Task) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		locked, err := tx.LockTasks(parent)
		if err != nil {
			return err
		}
		locked[0].OpenChildren++
		tx.UpdateTask(&locked[0])
		child = w.insert(tx, parley.Task{Parent: parent, Root: parent, State: parley.Running, Callback: parley.CallbackResult})
		return nil
	})
	return child
}

// finish completes a child and tells its parent, unless one of them has ended.
func (w *world) finish(tx *store.Tx, thread parley.ThreadID, parentID, childID parley.TaskID) error {
	parent, child, err := tx.LockEnding(parentID, childID)
	if err != nil {
		return err
	}
	if !child.State.Open() || !parent.State.Open() {
		return nil
	}
	m, err := w.post(tx, thread, "result", w.bob)
	if err != nil {
		return err
	}
	child.State, child.EndedAt, child.Result = parley.Completed, tx.Now, m.ID
	tx.UpdateTask(child)
	parent.OpenChildren--
	tx.PutInbox(parent, m.ID)
	if parent.State == parley.Waiting {
		parent.State = parley.Queued
	}
	tx.UpdateTask(parent)
	return nil
}

func (w *world) cancelTree(tx *store.Tx, root parley.TaskID) error {
	if _, err := tx.LockTasks(root); err != nil {
		return err
	}
	tree, err := tx.Subtree(root)
	if err != nil {
		return err
	}
	locked, err := tx.LockTasks(taskIDs(tree)...)
	if err != nil {
		return err
	}
	for i := range locked {
		if t := &locked[i]; t.State.Open() {
			t.State, t.EndedAt, t.OpenChildren = parley.Cancelled, tx.Now, 0
			tx.UpdateTask(t)
		}
	}
	return nil
}

// childrenAgainstTurnEnd: whatever the order, the parent must not be left waiting
// with a result that no turn has read.
func childrenAgainstTurnEnd(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	for range lockRounds {
		parent := w.task(parley.Task{State: parley.Running})
		children := []parley.Task{w.child(parent.ID), w.child(parent.ID)}
		atOnce(t, 3, func(i int) error {
			if i == 2 {
				return w.counted(func(tx *store.Tx) error { return endTurn(tx, parent.ID) })
			}
			return w.counted(func(tx *store.Tx) error { return w.finish(tx, c.Main, parent.ID, children[i].ID) })
		})
		got := w.readTask(parent.ID)
		if got.OpenChildren != 0 || got.InboxCount != 2 {
			t.Errorf("%d open children, %d results", got.OpenChildren, got.InboxCount)
		}
		if got.State != parley.Queued && got.State != parley.Running {
			t.Errorf("the parent is %v and has %d results that nobody reads", got.State, got.InboxCount)
		}
	}
}

// endTurn ends a turn that has read nothing: the task continues if something has
// arrived meanwhile, and waits otherwise.
func endTurn(tx *store.Tx, id parley.TaskID) error {
	locked, err := tx.LockTasks(id)
	if err != nil {
		return err
	}
	t := &locked[0]
	if t.InboxCount > t.InboxRead {
		return nil
	}
	t.State = parley.Waiting
	tx.UpdateTask(t)
	return nil
}

// contactsBothWays: two agents contact each other at the same moment, each from its
// own task. Each locks its own row and task and then the shared thread.
func contactsBothWays(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	tasks := [2]parley.Task{w.task(parley.Task{Agent: w.ann.ID}), w.task(parley.Task{Agent: w.bob.ID})}
	const rounds = 60
	atOnce(t, 2, func(i int) error {
		from, to := w.ann.ID, w.bob.ID
		if i == 1 {
			from, to = to, from
		}
		for range rounds {
			if err := w.counted(func(tx *store.Tx) error { return w.contact(tx, from, to, tasks[i].ID) }); err != nil {
				return err
			}
		}
		return nil
	})
	w.view(func(tx *store.Tx) error {
		thread, err := tx.Thread(c.Main)
		if thread.Count != 2*rounds {
			t.Errorf("%d of %d messages", thread.Count, 2*rounds)
		}
		for i, id := range []parley.AgentID{w.ann.ID, w.bob.ID} {
			a, _ := tx.Agent(id)
			task, _ := tx.Task(tasks[i].ID)
			if a.Rate.At != rounds || task.OpenChildren != rounds {
				t.Errorf("%s made %d contacts: rate %d, children %d", a.Name, rounds, a.Rate.At, task.OpenChildren)
			}
		}
		return err
	})
}

func (w *world) contact(tx *store.Tx, from, to parley.AgentID, in parley.TaskID) error {
	s, err := tx.ContactState(from, to, in, "")
	if err != nil {
		return err
	}
	tx.SetRate(from, parley.Rate{At: s.Sender.Rate.At + 1})
	s.Task.OpenChildren++
	tx.UpdateTask(&s.Task)
	_, err = w.post(tx, s.DM.Main, "hello", s.Target)
	return err
}

// marksBothWays: two turns of one agent run in one thread. Each is shown the other's
// request in its history, so each marks both, its own first.
func marksBothWays(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	for range lockRounds {
		var requests [2]parley.Message
		w.update(func(tx *store.Tx) (err error) {
			for i := range requests {
				if requests[i], err = w.post(tx, c.Main, "request", w.bob); err != nil {
					return err
				}
			}
			return nil
		})
		atOnce(t, 2, func(i int) error {
			return w.counted(func(tx *store.Tx) error {
				tx.MarkAnswered(requests[i].ID, w.bob.ID)
				if _, err := tx.Thread(c.Main); err != nil { // sends what was written so far
					return err
				}
				tx.MarkSeen(requests[1-i].ID, w.bob.ID)
				tx.SetRead(c.Main, w.bob.ID, requests[i].N)
				return nil
			})
		})
		w.view(func(tx *store.Tx) error {
			for _, m := range requests {
				list, err := tx.Deliveries(m.ID)
				if err != nil || len(list) != 1 || list[0].Seen == 0 || list[0].Answered == 0 {
					t.Errorf("deliveries %+v, %v", list, err)
				}
			}
			return nil
		})
	}
}
