package turn

import (
	"context"
	"slices"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// A commit costs more than anything else in a step. What could be found again after a
// crash is therefore not stored by itself, but with what comes next:
//
//   - A reply whose first call opens a contact, in the transaction that opens it. If that
//     is not committed, nothing has happened, and the model is asked again.
//   - A reply whose first call is put on record before it runs, with that record.
//   - The result of a contact, with the next step. After a crash the call finds the
//     contact by its key, and the same answer.
//
// Until then it is here. The transcript has taken it in already. It never waits long: a
// model that takes its time finds it stored, as it does what its turn began with.

// unstored is what the transcript has and the store has not: steps, and what is marked
// with them.
type unstored struct {
	steps  []parley.Step
	start  *parley.TurnStart
	seen   []parley.MessageID
	readTo int // in the thread; 0 if that did not change
	// doubt says that it may be stored after all: a commit had no answer.
	doubt bool
}

func (u *unstored) empty() bool { return len(u.steps) == 0 }

// putOff takes steps into the transcript that are stored with what comes next.
func (r *run) putOff(shown []parley.MessageID, d draft) error {
	s, err := r.encode(1, d)
	if err != nil {
		return err
	}
	u := &r.unstored
	if r.start != nil {
		u.start, r.start = r.start, nil
	}
	if d.is(parley.StepReply) {
		u.seen, u.readTo = append(u.seen, r.unshown.ids...), max(u.readTo, r.unshown.place)
	}
	u.steps, u.seen = append(u.steps, s), append(u.seen, shown...)
	return r.takeIn([]parley.Step{s}, arrival{})
}

// write stores it in a transaction that holds the task's lock. The caller stores the task.
func (u *unstored) write(tx *store.Tx, task *parley.Task) error {
	if u.doubt {
		if there, err := u.isStored(tx); there || err != nil {
			return err
		}
	}
	if u.start != nil {
		tx.StartTurn(task, u.start)
		tx.MarkSeen(task.Request, task.Agent)
	}
	tx.MarkShown(task, u.seen, u.readTo)
	for _, s := range u.steps {
		tx.InsertStep(s)
	}
	return nil
}

// isStored looks whether it was stored by a commit that had no answer. Nobody else stores
// steps under the same lease.
func (u *unstored) isStored(tx *store.Tx) (bool, error) {
	if u.empty() {
		return false, nil
	}
	list, err := tx.Steps(u.steps[0].Task)
	return slices.ContainsFunc(list, func(s parley.Step) bool { return s.Turn == u.steps[0].Turn && s.N == u.steps[0].N }), err
}

// flush stores what is not stored yet.
func (r *run) flush(ctx context.Context) error {
	if r.unstored.empty() {
		return nil
	}
	return r.storeSteps(ctx)
}

// goesWith reports whether a reply is stored together with its first call. Where a budget
// bounds the turn, everything is settled at once.
func (r *run) goesWith(reply model.Reply) bool {
	if r.bounded() || len(reply.Calls) == 0 || reply.Rejected != "" {
		return false
	}
	tl, ok := tool.Find(r.agent.Tools, reply.Calls[0].Name)
	return ok && (tl.Opens || !tl.Replays)
}

// waits reports whether the result of a call can be stored with the next step. That of
// the last call of a reply cannot if something has come for the task: the model is shown
// that too.
func (r *run) waits(ctx context.Context, call model.Call) (bool, error) {
	if tl, ok := tool.Find(r.agent.Tools, call.Name); !ok || !tl.Opens || r.bounded() {
		return false, nil
	}
	if len(r.pending) > 1 || r.quiet != nil && r.quiet() {
		return true, nil
	}
	var w store.Working
	err := r.retry(ctx, func() error {
		return r.Store.View(ctx, func(tx *store.Tx) (err error) {
			w, err = tx.Working(r.lease.Task, r.lease.Agent, r.task.Thread)
			return err
		})
	})
	return !w.Mail && w.Task.InboxCount <= r.inboxRead && (w.Thread.Count <= r.lookedTo || r.place.Kind == parley.Group), err
}

// beside stores what is not stored yet in the transaction that opens a contact.
type beside struct{ *run }

func (b beside) Store(tx *store.Tx, task *parley.Task) error {
	switch {
	case b.unstored.empty():
		return nil
	case !task.LeasedTo(b.lease.Token):
		return parley.ErrLost
	case task.Budget != b.lease.Budget:
		return &parley.BudgetGiven{Root: task.Budget}
	}
	before := *task
	if err := b.unstored.write(tx, task); err != nil {
		return err
	}
	if *task != before {
		tx.UpdateProgress(task)
	}
	return nil
}

func (b beside) Stored() { b.unstored = unstored{} }
