package contact

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Remind has the caller told if a task that it waits for is still open after some time. A
// second reminder of the same task replaces the first.
func (s *Service) Remind(ctx context.Context, c access.Caller, id parley.TaskID, after time.Duration) (parley.Reminder, error) {
	r := parley.Reminder{Task: id, Agent: c.Agent, Team: c.Team}
	if err := parley.CheckReminder(after); err != nil {
		return r, err
	}
	if err := s.access.PermitOutside(ctx, c, policy.TaskOp, "remind "+id.String()); err != nil {
		return r, err
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		if err := c.LockLease(tx); err != nil {
			return err
		}
		t, err := tx.Task(id)
		if err == nil && t.Team != c.Team {
			err = store.ErrNotFound
		}
		if err != nil {
			return access.NotFound(err, "%s", id)
		}
		if err := s.mayChange(tx, c, t, "wait for"); err != nil {
			return err
		}
		if !t.State.Open() {
			return parley.Errorf(parley.Conflict, "%s has ended already (%s).", id, t.State)
		}
		r.Due, r.CreatedAt = tx.Now.Add(after), tx.Now
		tx.SetReminder(r)
		tx.Record(parley.Event{Team: c.Team, Kind: parley.EventReminderSet, Actor: c.Agent, Target: t.Agent, Task: id, Detail: "after " + parley.SpanText(after)})
		return nil
	})
	return r, s.access.RecordDenied(ctx, c, "be reminded of "+id.String(), err)
}

// TellReminder tells somebody of a task that is still open. Of a task that has ended in the
// meantime nobody is reminded.
func (s *Service) TellReminder(ctx context.Context, r parley.Reminder) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		taken, err := tx.TakeReminder(r.Task, r.Agent)
		if err != nil || !taken {
			return err // another hub was first, or it was moved
		}
		t, err := tx.Task(r.Task)
		if err != nil || !t.State.Open() {
			return err
		}
		who, err := tx.Agent(r.Agent)
		if err != nil || who.Removed {
			return err
		}
		return s.tellOpen(tx, t, r.Agent, parley.EventReminded, "is not finished yet")
	})
}

// Nudge tells the requester of a task, once, that nothing has happened in it or below it for
// some time. It returns how long that may still take.
func (s *Service) Nudge(ctx context.Context, id parley.TaskID, quiet time.Duration) (left time.Duration, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		left = quiet
		t, err := tx.Task(id)
		if err != nil || !t.State.Open() {
			return err
		}
		at, err := tx.ProgressIn(id)
		if err != nil {
			return err
		}
		if until := max(at, t.Due).Add(quiet).Until(tx.Now); until > 0 {
			left = until
			return nil
		}
		if first, err := tx.Nudge(id); err != nil || !first {
			return err
		}
		return s.tellOpen(tx, t, t.Requester, parley.EventNudged, "has made no progress for "+parley.SpanText(tx.Now.Since(max(at, t.Due)).Truncate(time.Second)))
	})
	return left, err
}

// tellOpen posts what the hub has to say about an open task: mail for an agent, and for a
// person something in the inbox.
func (s *Service) tellOpen(tx *store.Tx, t parley.Task, to parley.AgentID, kind parley.EventKind, what string) error {
	name, err := s.name(tx, t.Agent)
	if err != nil {
		return err
	}
	dm, err := tx.EnsureDM(t.Team, to, to)
	if err != nil {
		return err
	}
	m := parley.Message{Team: t.Team, Thread: dm.Main, Author: to, Kind: parley.ReminderMessage, Task: t.ID,
		Body: parley.OpenTaskText(t, name, what, tx.Now)}
	if err := s.postMail(tx, &m, to); err != nil {
		return err
	}
	tx.Record(parley.Event{Team: t.Team, Kind: kind, Target: to, Task: t.ID, Message: m.ID, Detail: what})
	return nil
}
