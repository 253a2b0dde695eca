package turn

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/budget"
	"parley/internal/model"
	"parley/internal/store"
)

// errParked says that the task was given back to wait for its budget.
var errParked = errors.New("the task waits for its budget")

// meter measures how long a turn is at work. It stands still while the turn has
// given its place back to wait for others.
type meter struct {
	parley.Slot
	since time.Time // the last reading, or the return from a wait
	taken time.Duration
}

func newMeter(s parley.Slot) *meter { return &meter{Slot: s, since: time.Now()} }

// Release gives the place to others, and stops the meter.
func (m *meter) Release() {
	m.taken += time.Since(m.since)
	m.Slot.Release()
}

// Acquire waits for a place, and goes on measuring.
func (m *meter) Acquire(ctx context.Context) error {
	err := m.Slot.Acquire(ctx)
	m.since = time.Now()
	return err
}

// read returns what has been measured since the last reading, in whole
// microseconds.
func (m *meter) read() time.Duration {
	now := time.Now()
	total := m.taken + now.Sub(m.since)
	whole := total.Truncate(time.Microsecond)
	m.since, m.taken = now, total-whole
	return whole
}

// bounded reports whether anything bounds what the turn spends.
func (r *run) bounded() bool { return budget.Bounded(r.lease.Budget, r.agent.Limits.Daily) }

// account locks what the turn's spending is held against. It comes before the
// lock of the task.
func (r *run) account(tx *store.Tx) (budget.Account, error) {
	return budget.Open(tx, r.lease.Budget, r.lease.Team, r.agent.Limits.Daily)
}

// reserve makes sure that the next model call fits into the budget, and holds
// what it may need. The reservation ends with the lease, or with the stored reply.
func (r *run) reserve(ctx context.Context) error {
	r.maxOutput = 0
	if !r.bounded() {
		return nil
	}
	call := r.costOf(r.request(r.agent), r.cut)
	return r.admit(ctx, func(tx *store.Tx, a *budget.Account, id parley.TaskID) (budget.Verdict, error) {
		grant, err := a.Allot(id, call)
		if err == nil && grant.Verdict == budget.Fits {
			r.maxOutput = grant.Output
			tx.Reserve(r.reservation(grant.Want))
		}
		return grant.Verdict, err
	})
}

// awaitTasks parks the turn before a contact that would make tasks too many: a
// post may want several. If somebody has raised the budget meanwhile, the turn
// goes on.
func (r *run) awaitTasks(ctx context.Context, n int64) error {
	return r.admit(ctx, func(_ *store.Tx, a *budget.Account, id parley.TaskID) (budget.Verdict, error) {
		return a.Judge(id, budget.Want{Tasks: n})
	})
}

// admit lets the turn go on if the budget allows it; else the task waits.
func (r *run) admit(ctx context.Context, judge func(*store.Tx, *budget.Account, parley.TaskID) (budget.Verdict, error)) error {
	if err := r.flush(ctx); err != nil {
		return err
	}
	var verdict budget.Verdict
	err := r.update(ctx, func(tx *store.Tx) error {
		account, err := r.account(tx)
		if err != nil {
			return err
		}
		task, _, err := r.fence(tx)
		if err != nil {
			return err
		}
		if verdict, err = judge(tx, &account, task.ID); err != nil || verdict == budget.Fits {
			return err
		}
		return account.Park(&task, verdict)
	})
	if err == nil && verdict != budget.Fits {
		return errParked
	}
	return err
}

// accountFor is account for steps that are about to be stored; nil if nothing
// bounds the turn or nothing was spent.
func (r *run) accountFor(tx *store.Tx, drafts []draft) (*budget.Account, error) {
	spends := slices.ContainsFunc(drafts, func(d draft) bool { return d.spent != (parley.Spending{}) })
	if !r.bounded() || !spends && !replies(drafts) && r.unstored.empty() {
		return nil, nil
	}
	a, err := r.account(tx)
	return &a, err
}

// spent is what a reply has consumed, and the time since the step before.
func (r *run) spent(reply model.Reply) parley.Spending {
	return parley.Spending{Input: reply.Usage.Read(), Output: reply.Usage.Output, Money: parley.Money(reply.Usage.Cost), Active: r.slot.read()}
}
