package work

import (
	"context"

	"parley"
	"parley/internal/store"
)

// TakeBack queues the tasks that clients hold who are not connected any more, so that
// they are handed out again. A client may go and come as it likes: this is no rescue, and
// is not counted.
func (s *Scheduler) TakeBack(ctx context.Context) error {
	var left []parley.TaskID
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		left, err = tx.Forsaken(500)
		return err
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		for _, id := range left {
			if err := takeBackOne(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeBackOne queues one task, unless its client has come back or has ended it.
func takeBackOne(tx *store.Tx, id parley.TaskID) error {
	tasks, err := tx.LockTasks(id)
	if err != nil {
		return err
	}
	t := &tasks[0]
	a, err := tx.Agent(t.Agent)
	if err != nil || !a.Away(tx.Now) || t.State != parley.Running || t.Worker != 0 {
		return err
	}
	t.State = parley.Queued
	tx.UpdateTask(t)
	tx.Unsee(t.Request, t.Agent)
	tx.Record(parley.Event{Team: t.Team, Kind: parley.EventRescued, Target: t.Agent, Task: t.ID, Detail: a.Name + " is not connected"})
	return nil
}
