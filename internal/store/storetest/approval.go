package storetest

import (
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// approval stores a pending approval of a task and counts it there.
func (w *world) approval(t parley.Task, a parley.Approval) parley.Approval {
	w.t.Helper()
	a.Team, a.Task, a.Agent = t.Team, t.ID, t.Agent
	w.update(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(t.ID)
		if err != nil {
			return err
		}
		tx.InsertApproval(&a)
		tasks[0].Approvals++
		tx.UpdateProgress(&tasks[0])
		return nil
	})
	return a
}

func approvalRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{State: parley.Running})
	stored := w.approval(task, parley.Approval{Turn: 2, Call: "c1", Tool: "contact_agent", Args: `{"message":"\u0000"}`,
		Digest: "d", Target: w.bob.ID, Rule: "behavior supervised", Reason: "Because.", PeopleOnly: true, ExpiresAt: 1 << 60})
	if stored.ID == 0 || stored.State != parley.ApprovalPending || stored.CreatedAt == 0 {
		t.Errorf("stored as %+v", stored)
	}
	if n := w.readTask(task.ID).Approvals; n != 1 {
		t.Errorf("the task counts %d", n)
	}
	w.view(func(tx *store.Tx) error {
		got, err := tx.Approval(stored.ID)
		if d := cmp.Diff(stored, got); d != "" {
			t.Error(d)
		}
		if _, err := tx.Approval(stored.ID + 1); err != store.ErrNotFound {
			t.Errorf("one that is not there: %v", err)
		}
		return err
	})
	w.update(func(tx *store.Tx) error {
		a, err := tx.LockApproval(stored.ID)
		a.State, a.DecidedAt, a.DecidedBy, a.Comment = parley.ApprovalDenied, tx.Now, w.ann.ID, "No."
		a.Message, a.Failure = 7, "Offline."
		tx.UpdateApproval(&a)
		stored = a
		return err
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.ApprovalsOf(task.ID)
		if d := cmp.Diff([]parley.Approval{stored}, list); d != "" {
			t.Error(d)
		}
		return err
	})
}

// A call has one approval, however often its step runs.
func approvalKey(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{State: parley.Running})
	w.approval(task, parley.Approval{Turn: 1, Call: "c"})
	w.approval(task, parley.Approval{Turn: 2, Call: "c"})
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertApproval(&parley.Approval{Team: task.Team, Task: task.ID, Turn: 2, Call: "c"})
		return nil
	})
	if err == nil {
		t.Error("the same call has two approvals")
	}
	w.view(func(tx *store.Tx) error {
		list, err := tx.ApprovalsOf(task.ID)
		if len(list) != 2 {
			t.Errorf("there are %d", len(list))
		}
		return err
	})
}

// An approval from outside belongs to no turn, and perhaps to no task. Without a key
// it is never the same as another one.
func approvalOutside(t *testing.T, open Open) {
	w := newWorld(t, open)
	var stored [4]parley.Approval
	for i, a := range []parley.Approval{{Call: "1/k"}, {Call: "2/k"}, {}, {}} {
		a.Team, a.Agent = w.ann.Team, w.ann.ID
		w.update(func(tx *store.Tx) error { tx.InsertApproval(&a); return nil })
		stored[i] = a
	}
	task := w.task(parley.Task{State: parley.Running})
	w.approval(task, parley.Approval{Turn: 1, Call: "1/k"})
	w.update(func(tx *store.Tx) error {
		stored[1].State = parley.ApprovalDenied
		tx.UpdateApproval(&stored[1])
		return nil
	})
	w.view(func(tx *store.Tx) error {
		got, err := tx.ApprovalOf(0, 0, "1/k")
		if d := cmp.Diff(stored[0], got); d != "" || err != nil {
			t.Error(err, d)
		}
		if _, err := tx.ApprovalOf(task.ID, 0, "1/k"); err != store.ErrNotFound {
			t.Errorf("another task's: %v", err)
		}
		list, err := tx.PendingOutside()
		if d := cmp.Diff([]parley.Approval{stored[0], stored[2], stored[3]}, list); d != "" {
			t.Error(d)
		}
		return err
	})
	w.update(func(tx *store.Tx) error { tx.RenameCall(stored[0].ID, "used"); return nil })
	w.view(func(tx *store.Tx) error {
		if _, err := tx.ApprovalOf(0, 0, "1/k"); err != store.ErrNotFound {
			t.Errorf("under its old name: %v", err)
		}
		got, err := tx.ApprovalOf(0, 0, "used")
		if got.ID != stored[0].ID {
			t.Errorf("under its new name: %+v", got)
		}
		return err
	})
}

func approvalLists(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{State: parley.Waiting})
	first := w.approval(task, parley.Approval{Call: "1", ExpiresAt: 30})
	second := w.approval(task, parley.Approval{Call: "2", ExpiresAt: 20})
	third := w.approval(task, parley.Approval{Call: "3", ExpiresAt: 1 << 60})
	w.update(func(tx *store.Tx) error {
		second.State = parley.ApprovalApproved
		tx.UpdateApproval(&second)
		return nil
	})
	ids := func(list []parley.Approval, err error) (out []parley.ApprovalID) {
		if err != nil {
			t.Error(err)
		}
		for _, a := range list {
			out = append(out, a.ID)
		}
		return out
	}
	w.view(func(tx *store.Tx) error {
		for _, c := range []struct {
			name      string
			got, want any
		}{
			{"pending", ids(tx.PendingApprovals(task.Team, 10)), []parley.ApprovalID{first.ID, third.ID}},
			{"the oldest", ids(tx.PendingApprovals(task.Team, 1)), []parley.ApprovalID{first.ID}},
			{"all", ids(tx.Approvals(task.Team, 10)), []parley.ApprovalID{third.ID, second.ID, first.ID}},
			{"another team's", ids(tx.Approvals(task.Team+1, 10)), []parley.ApprovalID(nil)},
			{"another team's pending", ids(tx.PendingApprovals(task.Team+1, 10)), []parley.ApprovalID(nil)},
		} {
			if d := cmp.Diff(c.want, c.got); d != "" {
				t.Errorf("%s: %s", c.name, d)
			}
		}
		at, err := tx.NextApprovalExpiry()
		if at != 30 || err != nil {
			t.Errorf("the next expires at %d: %v", at, err)
		}
		expired, err := tx.ExpiredApprovals(10)
		if d := cmp.Diff([]parley.ApprovalID{first.ID}, expired); d != "" {
			t.Error(d)
		}
		open, _ := tx.OpenTasks(task.Team)
		one, _ := tx.AgentOpenTasks(task.Agent)
		if want := (parley.OpenTasks{Waiting: 1, Held: 1}); open[task.Agent] != want || one != want {
			t.Errorf("open tasks: %+v, %+v", open[task.Agent], one)
		}
		return err
	})
}

// The task's lock keeps two decisions apart.
func decideAtOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{State: parley.Waiting})
	a := w.approval(task, parley.Approval{Call: "c", ExpiresAt: 1 << 60})
	var winners atomic.Int32
	atOnce(t, 8, func(int) error {
		won := false
		err := w.Update(t.Context(), func(tx *store.Tx) error {
			won = false
			tasks, err := tx.LockTasks(task.ID)
			if err != nil {
				return err
			}
			a, err := tx.LockApproval(a.ID)
			if err != nil || a.State != parley.ApprovalPending {
				return err
			}
			won, a.State = true, parley.ApprovalApproved
			tasks[0].Approvals--
			tx.UpdateApproval(&a)
			tx.UpdateProgress(&tasks[0])
			return nil
		})
		if won {
			winners.Add(1)
		}
		return err
	})
	if n, left := winners.Load(), w.readTask(task.ID).Approvals; n != 1 || left != 0 {
		t.Errorf("%d have decided, %d are left", n, left)
	}
}
