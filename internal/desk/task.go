package desk

import (
	"context"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Take makes a task that waits for the caller its own, as Receive does with what it
// hands out. A task that it holds already it keeps.
func (s *Service) Take(ctx context.Context, c access.Caller, id parley.TaskID) (t parley.Task, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		locked, err := lockOwn(tx, c, id)
		if err != nil {
			return err
		}
		t = locked
		if !s.isClient(c) || t.State == parley.Running {
			return nil
		}
		if err := mayBegin(tx, t); err != nil {
			return err
		}
		take(tx, &t)
		return nil
	})
	return t, s.access.RecordDenied(ctx, c, "take "+id.String(), err)
}

// lockOwn locks an open task of the caller.
func lockOwn(tx *store.Tx, c access.Caller, id parley.TaskID) (parley.Task, error) {
	tasks, err := tx.LockTasks(id)
	if err != nil {
		return parley.Task{}, access.NotFound(err, "%s", id)
	}
	c.Task = id
	return tasks[0], c.CheckOwnTask(tasks[0])
}

// mayBegin refuses a task whose time has not come.
func mayBegin(tx *store.Tx, t parley.Task) error {
	team, err := tx.Team(t.Team)
	switch {
	case err != nil:
		return err
	case team.Paused:
		return parley.Errorf(parley.Conflict, "%s cannot begin: the team is paused.", t.ID)
	case t.State != parley.Queued:
		return parley.Errorf(parley.Conflict, "%s cannot begin yet: it waits for other tasks.", t.ID)
	case t.Due > tx.Now:
		return parley.Errorf(parley.Conflict, "%s cannot begin before %s.", t.ID, t.Due.Time().UTC().Format("2006-01-02T15:04:05Z"))
	}
	return nil
}

// Update notes how far a task of the caller is, for whoever looks on. It starts
// nobody's turn.
func (s *Service) Update(ctx context.Context, c access.Caller, id parley.TaskID, note string) error {
	if strings.TrimSpace(note) == "" {
		return parley.Errorf(parley.Invalid, "The note is empty.").WithHint("Say how far the task is.")
	}
	if err := parley.CheckText(note); err != nil {
		return err
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		t, err := lockOwn(tx, c, id)
		if err != nil {
			return err
		}
		if _, repeated, err := c.Repeated(tx, "update %s: %s", id, note); repeated || err != nil {
			return err
		}
		tx.Record(parley.Event{Team: t.Team, Kind: parley.EventProgress, Actor: c.Agent, Target: t.Requester, Task: t.ID, Detail: parley.Clip(note, parley.QuotedRunes)})
		return nil
	})
	return s.access.RecordDenied(ctx, c, "update "+id.String(), err)
}

// Complete ends a task of the caller with its result. The first end counts.
func (s *Service) Complete(ctx context.Context, c access.Caller, id parley.TaskID, result string) error {
	return s.contacts.Reply(ctx, c, id, result)
}

// Fail ends a task of the caller without a result. Whoever asked reads the reason.
func (s *Service) Fail(ctx context.Context, c access.Caller, id parley.TaskID, reason string) error {
	return s.contacts.Decline(ctx, c, id, reason)
}

// Tasks are the open tasks of the caller, the most urgent first.
func (s *Service) Tasks(ctx context.Context, c access.Caller) (list []parley.Task, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err = tx.OpenTasksOf(c.Agent, mostHeld)
		return err
	})
	return list, err
}
