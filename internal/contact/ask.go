package contact

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/wake"
)

// slowPoll is how often a waiter looks by itself. Signals make it unnecessary
// as long as none is lost.
const slowPoll = 2 * time.Second

// Response is what came of an ask.
type Response struct {
	Contact
	Text string
	// Reply is the message that holds the text; 0 if it was empty.
	Reply parley.MessageID
}

// Ask contacts somebody and waits for the answer. Past its time it returns an
// error of kind Timeout together with the task, whose work goes on: a caller
// with an open task gets the answer as a delegation result later.
func (s *Service) Ask(ctx context.Context, c access.Caller, r Request) (Response, error) {
	w := waiter{s: s, outside: c.Outside()}
	r.answersLater = true
	contact, err := s.open(ctx, c, r, parley.Ask, func(t parley.Task) { w.watch(t.ID) })
	a := Response{Contact: contact}
	if err != nil {
		return a, err
	}
	defer w.stop()
	if err := w.yield(ctx, c.Slot, contact); err != nil {
		return a, err
	}
	a.Task = w.task
	if a.Task.State.Open() || a.Task.Pushed() {
		return s.giveUp(ctx, a)
	}
	return a.end(w.text)
}

// OpenAsk contacts somebody without waiting, for a door whose caller polls, such
// as a command that may be interrupted. No tool call is there to take the answer,
// so a caller with a task gets it as a late one.
func (s *Service) OpenAsk(ctx context.Context, c access.Caller, r Request) (Contact, error) {
	r.detached = true
	return s.open(ctx, c, r, parley.Ask, nil)
}

// WaitTask waits until the task has ended, the time has come or the context
// is done, and returns the task as it is then.
func (s *Service) WaitTask(ctx context.Context, id parley.TaskID, until parley.Micros) (parley.Task, error) {
	w := waiter{s: s, outside: true}
	w.watch(id)
	defer w.stop()
	if err := w.look(ctx, id); err != nil {
		return w.task, err
	}
	err := w.wait(ctx, id, until.Until(w.now))
	return w.task, err
}

// waiter waits for one task to end. It is told by a signal and then looks; it
// also looks by itself now and then, in case a signal was lost.
type waiter struct {
	s     *Service
	ended <-chan struct{}
	stop  func()
	// outside says that somebody outside the hub is told of the end.
	outside bool

	task parley.Task
	text string // the result, once it has ended
	now  parley.Micros
}

func (w *waiter) watch(id parley.TaskID) {
	w.ended, w.stop = w.s.store.Bus().Watch(wake.Signal{Topic: wake.Ended, ID: int64(id)})
}

// yield waits for an ask's end without occupying a worker's place. A task that
// was handed to a worker just now, after the watch began, need not be looked at
// first.
func (w *waiter) yield(ctx context.Context, slot parley.Slot, c Contact) error {
	t := c.Task
	if c.found || t.State != parley.Running {
		if err := w.look(ctx, t.ID); err != nil {
			return err
		}
	} else {
		w.task, w.now = t, t.StartedAt
	}
	left := t.WaitUntil.Until(w.now)
	if slot == nil {
		return w.wait(ctx, t.ID, left)
	}
	slot.Release()
	err := w.wait(ctx, t.ID, left)
	if acquired := slot.Acquire(ctx); acquired != nil {
		return acquired
	}
	return err
}

// wait returns when the task has ended or the time is over.
func (w *waiter) wait(ctx context.Context, id parley.TaskID, left time.Duration) error {
	deadline := time.Now().Add(left)
	for w.task.State.Open() && left > 0 {
		timer := time.NewTimer(min(left, slowPoll))
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-w.ended:
		case <-timer.C:
		}
		timer.Stop()
		if err := w.look(ctx, id); err != nil {
			return err
		}
		left = time.Until(deadline)
	}
	return nil
}

// look reads the task, and the text of its result.
func (w *waiter) look(ctx context.Context, id parley.TaskID) error {
	var ended bool
	if w.task, w.text, ended = w.s.store.Recent().Outcome(id); ended {
		if !w.outside {
			return nil
		}
		return w.s.store.AwaitSync(ctx) // as a view would
	}
	return w.s.store.View(ctx, func(tx *store.Tx) (err error) {
		w.now = tx.Now
		if w.task, err = tx.Task(id); err != nil {
			return access.NotFound(err, "%s", id)
		}
		if w.task.State != parley.Completed || w.task.Result == 0 {
			return nil
		}
		m, err := tx.Message(w.task.Result)
		w.text = m.Body
		return err
	})
}

// end is the response to a task that has ended.
func (a Response) end(text string) (Response, error) {
	if a.Task.State != parley.Completed {
		return a, parley.ErrAskFailed(a.Target, a.Task.Error)
	}
	a.Text, a.Reply = text, a.Task.Result
	return a, nil
}

// giveUp ends the waiting. The answer may have come at this very moment; else the
// task goes on and its answer is late. An asker that gave up before a crash stays
// given up: the answer comes to its inbox.
func (s *Service) giveUp(ctx context.Context, a Response) (Response, error) {
	var why string
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
		why, err = s.whyLate(tx, t, a.Target)
		return err
	})
	if err != nil {
		return a, err
	}
	if !a.Task.State.Open() && !a.Task.Pushed() {
		return s.answer(ctx, a)
	}
	waited := a.Task.WaitUntil.Until(a.Task.CreatedAt)
	goesOn := fmt.Sprintf("Its work goes on as %s; await_task waits for the answer.", a.Task.ID)
	return a, parley.ErrTimeout(a.Target, waited).WithHint("%s", strings.TrimSpace(why+" "+goesOn))
}

// answer reads how a task ended.
func (s *Service) answer(ctx context.Context, a Response) (Response, error) {
	w := waiter{s: s, outside: true}
	if err := w.look(ctx, a.Task.ID); err != nil {
		return a, err
	}
	return a.end(w.text)
}

// AwaitTask makes the caller's task wait for an ask whose time ran out, as for
// a delegation. If the answer is there already, it is returned, unless it came
// to the caller's inbox.
func (s *Service) AwaitTask(ctx context.Context, c access.Caller, id parley.TaskID) (Response, error) {
	var a Response
	if c.Task == 0 {
		return a, parley.Errorf(parley.Invalid, "You are not working on a task that could wait.")
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		a = Response{}
		tasks, err := tx.LockTasks(c.Task, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		var own bool
		if err == nil {
			if own, err = c.MadeIn(tx, tasks[1].Parent); err != nil {
				return err
			}
		}
		// Whether there is a task elsewhere, in another team even, is not told.
		if !own || tasks[1].Team != c.Team {
			return parley.Errorf(parley.NotFound, "%s is not a subtask of %s.", id, c.Task)
		}
		parent, child := tasks[0], tasks[1]
		if err := c.CheckLease(parent); err != nil {
			return err
		}
		// An ask that was cut short by a fault is still marked as waited for; its
		// asker is here and does not wait.
		asked := child.Callback == parley.CallbackLate || child.Callback == parley.CallbackReply
		if child.State.Open() && asked {
			child.Callback = parley.CallbackResult
			parent.OpenChildren++
			tx.UpdateTask(&child)
			tx.UpdateProgress(&parent)
		}
		a.Task = child
		a.Target, err = s.name(tx, child.Agent)
		return err
	})
	if err != nil || a.Task.State.Open() || a.Task.Pushed() {
		return a, err
	}
	return s.answer(ctx, a)
}
