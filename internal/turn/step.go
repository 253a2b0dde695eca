package turn

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/store"
	"parley/internal/tool"
)

// next is the following step of this turn.
func (t *run) next(kind parley.StepKind, content any) (parley.Step, error) {
	b, err := json.Marshal(content)
	return parley.Step{Task: t.lease.Task, Turn: t.number, N: t.steps + 1, Kind: kind, Content: b}, err
}

// storeSteps stores steps under the lease, with what a result shows and what the
// model was shown before, and takes in what has arrived for the task meanwhile.
func (t *run) storeSteps(ctx context.Context, shown *tool.Result, steps ...parley.Step) error {
	var arrived arrival
	last := steps[len(steps)-1]
	err := t.update(ctx, func(tx *store.Tx) error {
		arrived = arrival{}
		account, err := t.accountFor(tx, steps)
		if err != nil {
			return err
		}
		task, thread, err := t.fenceThread(tx)
		if err != nil {
			return err
		}
		if t.takesIn(last) {
			if arrived, err = t.arrive(tx, task, thread); err != nil {
				return err
			}
		}
		if t.start != nil {
			tx.StartTurn(&task, t.start)
			tx.MarkSeen(task.Request, t.lease.Agent)
			tx.UpdateProgress(&task)
		}
		for _, s := range steps {
			tx.InsertStep(s)
		}
		if account != nil {
			account.Settle(task.ID, steps)
		}
		t.markShown(tx, shown)
		tx.Shown(&task, t.shown.ids, t.shown.place)
		if arrived.empty() {
			return nil
		}
		return t.storeArrived(tx, task, arrived, last.N+1)
	})
	if err != nil {
		return err
	}
	t.start, t.shown = nil, sight{}
	t.steps += len(steps)
	t.takeArrival(arrived)
	return nil
}

// markShown records what the result of a call shows.
func (t *run) markShown(tx *store.Tx, shown *tool.Result) {
	if shown == nil {
		return
	}
	for _, id := range shown.Seen {
		tx.MarkSeen(id, t.lease.Agent)
	}
	if shown.Read.Channel != 0 {
		tx.ReadGroup(shown.Read.Channel, t.lease.Agent, shown.Read.Upto)
	}
}

// fence makes sure that the lease still holds.
func (t *run) fence(tx *store.Tx) (parley.Task, error) {
	tasks, err := tx.LockTasks(t.lease.Task)
	if err != nil {
		return parley.Task{}, err
	}
	if !tasks[0].LeasedTo(t.lease.Token) {
		return parley.Task{}, parley.ErrLost
	}
	return tasks[0], nil
}

// fenceThread is fence, with the thread that the task is worked on in.
func (t *run) fenceThread(tx *store.Tx) (parley.Task, parley.Thread, error) {
	task, thread, err := tx.LockWorking(t.lease.Task, t.task.Thread)
	if err == nil && !task.LeasedTo(t.lease.Token) {
		err = parley.ErrLost
	}
	return task, thread, err
}
