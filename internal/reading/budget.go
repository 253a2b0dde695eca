package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/store"
)

// Spending is what a task tree has spent, or a team today.
type Spending struct {
	Root    parley.TaskID
	Limit   parley.Budget
	Spent   parley.Spending
	Tasks   int64
	Waiting int // tasks that wait for the budget
}

// Usage says how much of each limit is spent.
func (s Spending) Usage() string { return budget.Usage(s.Limit, s.Spent, s.Tasks) }

// Spent reads what the tree of a task has spent.
func (s *Service) Spent(ctx context.Context, c access.Caller, id parley.TaskID) (out Spending, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err := orMissing(err, s.seesTask(c, t), id); err != nil {
			return err
		}
		out, err = treeSpending(tx, t)
		return err
	})
	return out, err
}

// treeSpending reads the account of a tree. For a tree without a budget it adds up
// the steps.
func treeSpending(tx *store.Tx, t parley.Task) (out Spending, err error) {
	out.Root = t.Root
	if t.Budget == 0 {
		out.Spent, out.Tasks, err = tx.SpentBelow(t.Root)
		return out, err
	}
	out.Root = t.Budget
	b, err := tx.Budget(t.Budget)
	if err != nil {
		return out, err
	}
	out.Limit, out.Spent, out.Tasks = b.Limit, b.Spent, b.Tasks
	out.Waiting, err = tx.CountWaiting(t.Budget)
	return out, err
}

// SpentToday reads what the caller's team has spent today: with a cap what is counted
// against it, else what the steps of the day say.
func (s *Service) SpentToday(ctx context.Context, c access.Caller) (out Spending, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if out, err = s.today(tx, c); err != nil || out.Limit.Set() {
			return err
		}
		midnight := tx.Now.NextDay().Add(-24 * time.Hour)
		out.Spent, err = spentSince(tx, c.Team, midnight)
		return err
	})
	return out, err
}

// Today is SpentToday without the walk over the steps: for a team without a cap it does
// not say what was spent.
func (s *Service) Today(ctx context.Context, c access.Caller) (out Spending, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out, err = s.today(tx, c)
		return err
	})
	return out, err
}

func (s *Service) today(tx *store.Tx, c access.Caller) (out Spending, err error) {
	d, err := tx.Today(c.Team)
	if err != nil {
		return out, err
	}
	out.Limit, _ = s.dir.Limits(c.Agent).Daily.Raise(d.Extra)
	out.Spent = d.Spent
	out.Waiting, err = tx.CountWaitingForTomorrow(c.Team)
	return out, err
}
