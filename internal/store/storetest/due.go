package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func dueTimes(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	now := parley.Clock(clock.now).Now()
	in := func(d time.Duration) parley.Micros { return now.Add(d) }

	w.view(func(tx *store.Tx) error {
		due, err := tx.NextDue()
		deadline, _ := tx.NextDeadline()
		if due != 0 || deadline != 0 {
			t.Errorf("with no task: due %d, deadline %d", due, deadline)
		}
		return err
	})
	plain := w.task(parley.Task{})
	late := w.task(parley.Task{Due: in(2 * time.Minute), Deadline: in(3 * time.Minute)})
	soon := w.task(parley.Task{Due: in(time.Minute), Deadline: in(5 * time.Minute), State: parley.Queued})
	w.task(parley.Task{Due: in(time.Second), State: parley.Running, Deadline: in(4 * time.Minute)})
	w.task(parley.Task{Deadline: in(time.Second), State: parley.Completed})
	w.task(parley.Task{Agent: w.ann.ID, Due: in(time.Hour)})

	check := func(moment string, due []parley.TaskID, overdue int, next, deadline parley.Micros) {
		t.Helper()
		w.update(func(tx *store.Tx) error {
			list, err := tx.DueTasks(10)
			if diff := cmp.Diff(due, taskIDs(list)); diff != "" {
				t.Errorf("%s: due tasks %s", moment, diff)
			}
			ids, _ := tx.Overdue(10)
			at, _ := tx.NextDue()
			end, _ := tx.NextDeadline()
			if len(ids) != overdue || at != next || end != deadline {
				t.Errorf("%s: overdue %v, next due %v, next deadline %v", moment, ids, at.Time(), end.Time())
			}
			return err
		})
	}
	check("at first", nil, 0, in(time.Minute), in(3*time.Minute))
	clock.move(time.Minute)
	check("when the first is due", []parley.TaskID{soon.ID}, 0, in(time.Minute), in(3*time.Minute))
	clock.move(time.Minute)
	check("when both are due", []parley.TaskID{soon.ID, late.ID}, 0, in(time.Minute), in(3*time.Minute))
	clock.move(2 * time.Minute)
	check("past two deadlines", []parley.TaskID{soon.ID, late.ID}, 2, in(time.Minute), in(3*time.Minute))

	w.update(func(tx *store.Tx) error {
		delayed, err := tx.DelayedTasks(w.bob.ID)
		if diff := cmp.Diff([]parley.TaskID{late.ID, soon.ID}, taskIDs(delayed)); diff != "" {
			t.Errorf("delayed: %s", diff)
		}
		queued, _ := tx.QueuedOf(w.bob.ID)
		if diff := cmp.Diff([]parley.TaskID{plain.ID, late.ID, soon.ID}, queued); diff != "" {
			t.Errorf("queued: %s", diff)
		}
		if one, _ := tx.Overdue(1); len(one) != 1 {
			t.Errorf("one that is overdue: %v", one)
		}
		if one, _ := tx.DueTasks(1); len(one) != 1 || one[0].ID != soon.ID {
			t.Errorf("the first due: %v", taskIDs(one))
		}
		return err
	})
}

func workers(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	now := parley.Clock(clock.now).Now()
	var me, dead, living int64
	w.update(func(tx *store.Tx) error {
		me = tx.InsertWorker("me", now.Add(time.Second))
		dead = tx.InsertWorker("dead", now.Add(time.Second))
		living = tx.InsertWorker("living", now.Add(time.Second))
		return nil
	})
	clock.move(time.Minute)
	w.update(func(tx *store.Tx) error {
		tx.Heartbeat(living, "living", tx.Now.Add(time.Minute))
		tx.Heartbeat(living+100, "back again", tx.Now.Add(-time.Second))
		return nil
	})
	held := w.task(parley.Task{State: parley.Running, Worker: dead, Token: 3, Parent: 9})
	w.task(parley.Task{State: parley.Completed, Worker: dead})
	asked := w.task(parley.Task{Pattern: parley.Ask, State: parley.Running, Worker: living,
		Callback: parley.CallbackReply, WaitUntil: parley.Clock(clock.now).Now().Add(time.Minute)})
	detached := w.task(parley.Task{Pattern: parley.Ask, State: parley.Running, Worker: living,
		Callback: parley.CallbackLate, WaitUntil: parley.Clock(clock.now).Now().Add(time.Minute)}) // its caller waits outside
	w.task(parley.Task{Pattern: parley.Ask, WaitUntil: now})
	w.task(parley.Task{Agent: w.ann.ID})
	w.task(parley.Task{Agent: w.carol.ID}) // a person, not run by the hub

	w.view(func(tx *store.Tx) error {
		gone, err := tx.DeadWorkers(me)
		if diff := cmp.Diff([]int64{dead, living + 100}, gone); diff != "" {
			t.Errorf("dead: %s", diff)
		}
		others, _ := tx.OtherWorkers(me)
		if diff := cmp.Diff([]int64{dead, living, living + 100}, others); diff != "" {
			t.Errorf("others: %s", diff)
		}
		leases, _ := tx.Leased(dead)
		if diff := cmp.Diff([]parley.Lease{held.Lease()}, leases); diff != "" {
			t.Errorf("leases: %s", diff)
		}
		asks, _ := tx.OpenAsks(w.bob.ID)
		if diff := cmp.Diff([]parley.TaskID{asked.ID, detached.ID}, taskIDs(asks)); diff != "" {
			t.Errorf("asks that somebody waits for: %s", diff)
		}
		working, _ := tx.AgentsWithWork()
		if diff := cmp.Diff([]parley.AgentID{w.ann.ID, w.bob.ID}, working); diff != "" {
			t.Errorf("agents with work: %s", diff)
		}
		return err
	})
	w.update(func(tx *store.Tx) error { tx.DeleteWorker(dead); return nil })
	w.view(func(tx *store.Tx) error {
		gone, err := tx.DeadWorkers(me)
		if diff := cmp.Diff([]int64{living + 100}, gone); diff != "" {
			t.Errorf("after one is forgotten: %s", diff)
		}
		return err
	})
	w.update(func(tx *store.Tx) error {
		tx.DeleteDeadWorker(living) // it has come back since it was found dead
		tx.DeleteDeadWorker(living + 100)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		others, err := tx.OtherWorkers(me)
		if diff := cmp.Diff([]int64{living}, others); diff != "" {
			t.Errorf("after the burial: %s", diff)
		}
		return err
	})
}
