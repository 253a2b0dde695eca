package turn_test

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/store"
)

// ender ends turns in the store of one life.
type ender struct {
	*world
	store store.Store
}

func (w ender) EndTurn(ctx context.Context, e parley.TurnEnd) (out parley.Outcome, err error) {
	err = w.store.Update(ctx, func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(e.Lease.Task)
		if err != nil {
			return err
		}
		t := &tasks[0]
		if t.State != parley.Running || t.Token != e.Lease.Token {
			return parley.ErrLost
		}
		if e.Start != nil {
			tx.StartTurn(t, e.Start)
			tx.MarkSeen(t.Request, t.Agent)
		}
		tx.MarkShown(t, e.Seen, e.ReadTo)
		for _, s := range e.Steps {
			tx.InsertStep(s)
		}
		t.InboxRead = e.InboxRead
		if e.Reason != "" {
			t.State, t.Worker, t.Error = parley.TaskFailed, 0, e.Reason
		} else if err := w.close(tx, t, e.Text); err != nil {
			return err
		}
		out = parley.TaskEnded
		switch {
		case t.State == parley.Waiting:
			out = parley.TaskParked
		case t.State == parley.Running:
			out = parley.TurnAgain
		}
		tx.UpdateTask(t)
		return nil
	})
	return out, err
}

// close ends a turn with its text, and has something begin the next if more
// replies are planned.
func (w ender) close(tx *store.Tx, t *parley.Task, text string) error {
	m := parley.Message{Team: w.team, Thread: t.Thread, Author: t.Agent, Kind: parley.ReplyMessage, Body: strings.ToValidUTF8(text, "?"), Task: t.ID}
	if err := tx.Post(&m, store.Recipient{ID: w.pat.ID}); err != nil {
		return err
	}
	steps, err := tx.Steps(t.ID)
	if err != nil {
		return err
	}
	k := -1
	for _, s := range steps {
		if s.Kind == parley.StepReply {
			k++
		}
	}
	if k >= len(w.plan.Replies) {
		t.State, t.Worker = parley.Completed, 0
		return nil
	}
	r := w.plan.Replies[k]
	if err := errors.Join(w.news(tx, r.News), w.mail(tx, r.Mail, 0)); err != nil {
		return err
	}
	if r.Waits || t.OpenChildren > 0 && t.InboxCount == t.InboxRead {
		t.OpenChildren++
		t.State, t.Worker = parley.Waiting, 0
		return nil
	}
	if t.InboxCount == t.InboxRead {
		return w.bring(tx, t)
	}
	return nil
}
