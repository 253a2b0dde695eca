package contact

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// slowPoll is how often a waiter looks by itself. Signals make it unnecessary
// as long as none is lost.
const slowPoll = 2 * time.Second

// Answer is what came of an ask.
type Answer struct {
	Contact
	Text string
	// Reply is the message that holds the text; 0 if it was empty.
	Reply parley.MessageID
}

// Ask contacts somebody and waits for the answer. Past its time it returns an
// error of kind Timeout together with the task, whose work goes on: a caller
// with an open task gets the answer as a delegation result later.
func (s *Service) Ask(ctx context.Context, c Caller, r Request) (Answer, error) {
	contact, err := s.open(ctx, c, r, parley.Ask)
	a := Answer{Contact: contact}
	if err != nil {
		return a, err
	}
	if contact.Task.State.Open() {
		if a.Task, err = s.awaitEnd(ctx, c, a.Task); err != nil {
			return a, err
		}
	}
	if a.Task.State.Open() {
		return s.giveUp(ctx, a)
	}
	return s.answer(ctx, a)
}

// OpenAsk contacts somebody without waiting, for a door whose caller waits by
// asking again, such as a command that may be interrupted.
func (s *Service) OpenAsk(ctx context.Context, c Caller, r Request) (Contact, error) {
	return s.open(ctx, c, r, parley.Ask)
}

// awaitEnd waits until the task ends or its asker's time is over, without
// occupying a worker's place.
func (s *Service) awaitEnd(ctx context.Context, c Caller, t parley.Task) (parley.Task, error) {
	if c.Slot == nil {
		return s.WaitTask(ctx, t.ID, t.WaitUntil)
	}
	c.Slot.Release()
	t, err := s.WaitTask(ctx, t.ID, t.WaitUntil)
	if acquired := c.Slot.Acquire(ctx); acquired != nil {
		return t, acquired
	}
	return t, err
}

// WaitTask waits until the task has ended, the time has come or the context
// is done, and returns the task as it is then.
func (s *Service) WaitTask(ctx context.Context, id parley.TaskID, until parley.Micros) (parley.Task, error) {
	ended, stop := s.store.Bus().Watch(wake.Signal{Topic: wake.Ended, ID: int64(id)})
	defer stop()
	for {
		var t parley.Task
		var left time.Duration
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			t, err = tx.Task(id)
			left = until.Until(tx.Now)
			return notFound(err, "%s", id)
		})
		if err != nil || !t.State.Open() || left <= 0 {
			return t, err
		}
		timer := time.NewTimer(min(left, slowPoll))
		select {
		case <-ctx.Done():
			timer.Stop()
			return t, context.Cause(ctx)
		case <-ended:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// giveUp ends the waiting. The answer may have come at this very moment; else
// the task goes on as one whose answer is late.
func (s *Service) giveUp(ctx context.Context, a Answer) (Answer, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(a.Task.ID)
		if err != nil {
			return err
		}
		t := tasks[0]
		if t.State.Open() && t.Callback == parley.CallbackReply {
			t.Callback = parley.CallbackLate
			tx.UpdateTask(&t)
			tx.Record(parley.Event{Team: t.Team, Kind: parley.EventTimeout, Actor: t.Requester, Target: t.Agent, Task: t.ID})
		}
		a.Task = t
		return nil
	})
	if err != nil {
		return a, err
	}
	if !a.Task.State.Open() {
		return s.answer(ctx, a)
	}
	waited := a.Task.WaitUntil.Until(a.Task.CreatedAt)
	return a, parley.ErrTimeout(a.Target, waited).
		WithHint("Its work goes on as %s; await_task waits for the answer.", a.Task.ID)
}

// answer reads the end of an ask.
func (s *Service) answer(ctx context.Context, a Answer) (Answer, error) {
	t := a.Task
	if t.State != parley.Completed {
		return a, parley.ErrAskFailed(a.Target, t.Error)
	}
	if t.Result == 0 {
		return a, nil
	}
	err := s.store.View(ctx, func(tx *store.Tx) error {
		m, err := tx.Message(t.Result)
		a.Text, a.Reply = m.Body, m.ID
		return err
	})
	return a, err
}

// AwaitTask makes the caller's task wait for an ask whose time ran out, as for
// a delegation. If the answer is there already, it is returned.
func (s *Service) AwaitTask(ctx context.Context, c Caller, id parley.TaskID) (Answer, error) {
	var a Answer
	if c.Task == 0 {
		return a, parley.Errorf(parley.Invalid, "You are not working on a task that could wait.")
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		a = Answer{}
		tasks, err := tx.LockTasks(c.Task, id)
		if err != nil {
			return notFound(err, "%s", id)
		}
		parent, child := tasks[0], tasks[1]
		if child.Team != c.Team || child.Parent != c.Task {
			return parley.Errorf(parley.NotFound, "%s is not a subtask of %s.", id, c.Task)
		}
		if c.Token != 0 && (parent.State != parley.Running || parent.Token != c.Token) {
			return parley.ErrLost
		}
		if child.State.Open() && child.Callback == parley.CallbackLate {
			child.Callback = parley.CallbackResult
			parent.OpenChildren++
			tx.UpdateTask(&child)
			tx.UpdateTask(&parent)
		}
		a.Task = child
		a.Target, err = s.name(tx, child.Agent)
		return err
	})
	if err != nil || a.Task.State.Open() {
		return a, err
	}
	return s.answer(ctx, a)
}

// Stopped reports whether err only says that the caller's own work was
// stopped, so that nothing is known about the other side.
func Stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, parley.ErrLost)
}
