package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// knowsBudget makes sure that the tree of the caller's task was not given a budget
// since its turn began: then the lock of the budget is missing, and the turn comes
// again with it.
func (o *opening) knowsBudget() error {
	if root := o.state.Task.Budget; root != 0 && o.pattern != parley.Notify {
		return &parley.BudgetGiven{Root: root}
	}
	return nil
}

// SetBudget says what the tree of a task may spend: the bounds that are set replace
// those that it had, also none. What the tree has spent before counts. Only a person
// may do so.
func (s *Service) SetBudget(ctx context.Context, c access.Caller, id parley.TaskID, limit parley.Budget) error {
	if err := s.access.PeopleOnly(ctx, c, "set a budget", "set the budget of "+id.String()); err != nil {
		return err
	}
	for {
		err := s.store.Update(ctx, func(tx *store.Tx) error { return setBudget(tx, c, id, limit) })
		if _, given := parley.AsBudgetGiven(err); !given { // else somebody was quicker
			return err
		}
	}
}

func setBudget(tx *store.Tx, c access.Caller, id parley.TaskID, limit parley.Budget) error {
	t, err := tx.Task(id)
	if err == nil && t.Team != c.Team {
		err = store.ErrNotFound
	}
	if err != nil {
		return access.NotFound(err, "%s", id)
	}
	b, err := lockOrGive(tx, t)
	if err != nil {
		return err
	}
	if _, repeated, err := c.Repeated(tx, "set the budget of %s to %s", id, limit); repeated || err != nil {
		return err
	}
	b.Limit, b.Told = limit.Over(b.Limit), false
	tx.UpdateBudget(&b)
	tx.Record(parley.Event{Team: c.Team, Kind: parley.EventBudgetRaised, Actor: c.Agent, Task: b.Root, Detail: "set to " + b.Limit.String()})
	waiting, err := tx.WaitingForBudget(b.Root)
	return wakeAll(tx, waiting, err)
}

// lockOrGive locks the budget of a task's tree. A tree without one gets one that
// bounds nothing yet and knows what was spent.
func lockOrGive(tx *store.Tx, t parley.Task) (b parley.TreeBudget, err error) {
	if t.Budget != 0 {
		return tx.LockBudget(t.Budget)
	}
	open, err := lockTree(tx, t.Root)
	if err != nil {
		return b, err
	}
	if open == 0 {
		return b, parley.Errorf(parley.Conflict, "The tree of %s has ended, so there is nothing to bound.", t.ID).
			WithHint("Begin it anew with parley task retry, or go on from its failure with parley task resume. The new task can be given a budget.")
	}
	b = parley.TreeBudget{Root: t.Root, Team: t.Team}
	tx.InsertBudget(&b)
	if b.Spent, b.Tasks, err = tx.SpentBelow(t.Root); err == nil {
		tx.GiveBudget(t.Root)
	}
	return b, err
}

// lockTree locks the root of a tree and all its open tasks, and counts these. A task
// may be opening another one at this moment, so it looks again until nothing new
// appears. The turns that run meanwhile find out when they store their next step.
func lockTree(tx *store.Tx, root parley.TaskID) (open int, err error) {
	locked := map[parley.TaskID]bool{}
	for {
		all, err := tx.Subtree(root)
		if err != nil {
			return 0, err
		}
		fresh := []parley.TaskID{}
		open = 0
		for _, t := range all {
			if t.Budget != 0 {
				return 0, &parley.BudgetGiven{Root: t.Budget}
			}
			if t.State.Open() {
				open++
			}
			if !locked[t.ID] && (t.State.Open() || t.ID == root) {
				fresh = append(fresh, t.ID)
				locked[t.ID] = true
			}
		}
		if len(fresh) == 0 {
			return open, nil
		}
		if _, err := tx.LockTasks(fresh...); err != nil {
			return 0, err
		}
	}
}
