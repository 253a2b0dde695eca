package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/wake"
)

// Cancel ends a task and its whole subtree. A cancelled task never runs again; the
// result of a turn that still runs is dropped. Unless the parent task cancels it
// itself, the parent is told as of a failure.
func (s *Service) Cancel(ctx context.Context, c access.Caller, id parley.TaskID) error {
	if err := s.access.PermitOutside(ctx, c, policy.TaskOp, "cancel "+id.String()); err != nil {
		return err
	}
	return s.withTask(ctx, c, "cancel", id, "", func(f *finish) error {
		t := f.task
		if err := s.mayChange(f.tx, c, *t, "cancel"); err != nil {
			return err
		}
		if c.Token != 0 && t.State == parley.Cancelled && t.EndedBy == c.Agent {
			return nil // a turn that goes on after a crash finds what it did before
		}
		if !t.State.Open() {
			return parley.Errorf(parley.Conflict, "%s has ended already (%s).", id, t.State)
		}
		by, err := s.name(f.tx, c.Agent)
		if err != nil {
			return err
		}
		t.Error = parley.CancelledReason(by)
		if err := cancel(f.tx, t, c.Agent); err != nil {
			return err
		}
		if err := s.cancelBelow(f.tx, id, c.Agent); err != nil {
			return err
		}
		if err := s.tellHolders(f.tx, []parley.Task{*t}); err != nil {
			return err
		}
		if t.Parent != 0 && t.Parent == c.Task {
			return f.forget()
		}
		return f.callBack(parley.FailureMessage)
	})
}

// forget takes a child that its own parent cancelled off the parent's list.
// Nothing of it comes to the parent's inbox.
func (f *finish) forget() error {
	if err := f.s.dropAnswer(f.tx, f.task, f.parent); err != nil {
		return err
	}
	if f.task.Counted() {
		f.parent.OpenChildren--
		f.tx.UpdateProgress(f.parent)
	}
	f.task.Callback = parley.CallbackNone
	f.tx.UpdateTask(f.task)
	return nil
}

// mayChange allows people, the one who asked for the task, and whoever works
// on a task above it. The verb is what they want to do with it.
func (s *Service) mayChange(tx *store.Tx, c access.Caller, t parley.Task, verb string) error {
	if s.access.IsPerson(c.Agent) {
		return nil
	}
	for above := t; ; {
		if above.Requester == c.Agent {
			return nil
		}
		if above.Parent == 0 {
			return parley.Errorf(parley.Denied, "%s is not yours to %s.", t.ID, verb).WithRule(access.RuleOwnTask).
				WithHint("Only a person, or who asked for the task or one above it, may do so.")
		}
		var err error
		if above, err = tx.Task(above.Parent); err != nil {
			return err
		}
	}
}

func cancel(tx *store.Tx, t *parley.Task, by parley.AgentID) error {
	if err := withdraw(tx, t, by); err != nil {
		return err
	}
	if t.State == parley.Running {
		tx.Signal(wake.Cancelled, int64(t.ID))
	}
	if t.Budget != 0 {
		tx.Release(t.ID) // it counts no more; this only tidies up
	}
	t.State, t.Worker, t.Waits, t.EndedAt, t.EndedBy = parley.Cancelled, 0, parley.WaitNone, tx.Now, by
	tx.UpdateTask(t)
	tx.Record(parley.Event{Team: t.Team, Kind: parley.EventCancelled, Actor: by, Target: t.Agent, Task: t.ID})
	return nil
}

// cancelBelow cancels the open descendants of a task whose lock is held. A
// descendant may be opening another one at this moment, so it looks again
// until nothing new appears.
func (s *Service) cancelBelow(tx *store.Tx, top parley.TaskID, by parley.AgentID) error {
	name, err := s.name(tx, by)
	if err != nil {
		return err
	}
	var ended []parley.Task
	for {
		all, err := tx.Subtree(top)
		if err != nil {
			return err
		}
		var open []parley.TaskID
		for _, t := range all[1:] {
			if t.State.Open() {
				open = append(open, t.ID)
			}
		}
		if len(open) == 0 {
			return s.tellHolders(tx, ended)
		}
		locked, err := tx.LockTasks(open...)
		if err != nil {
			return err
		}
		for i := range locked {
			if t := &locked[i]; t.State.Open() {
				t.Error = parley.CancelledReason(name)
				if err := cancel(tx, t, by); err != nil {
					return err
				}
				if err := s.dropAnswer(tx, t, &parley.Task{}); err != nil { // nobody is told
					return err
				}
				ended = append(ended, *t)
			}
		}
	}
}
