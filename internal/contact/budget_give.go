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
	_, err := s.bound(ctx, c, id, bounding{
		about: "set the budget of " + id.String() + " to " + limit.String(),
		to:    func(now parley.Budget) (parley.Budget, error) { return limit.Over(now), nil },
	})
	return err
}

// AddBudget adds to what the tree of a task may spend, and returns what that is then. A
// bound that it has not is set to what is added. Only a person may do so.
func (s *Service) AddBudget(ctx context.Context, c access.Caller, id parley.TaskID, by parley.Budget) (parley.Budget, error) {
	if err := s.access.PeopleOnly(ctx, c, "raise a budget", "raise the budget of "+id.String()); err != nil {
		return parley.Budget{}, err
	}
	return s.bound(ctx, c, id, bounding{
		about: "add " + by.String() + " to the budget of " + id.String(),
		to:    func(now parley.Budget) (parley.Budget, error) { return now.Add(by) },
	})
}

// bounding is a change of what a tree may spend.
type bounding struct {
	about string // for whoever repeats it
	to    func(now parley.Budget) (parley.Budget, error)
}

// bound changes what the tree of a task may spend, and lets go on what waits for it.
func (s *Service) bound(ctx context.Context, c access.Caller, id parley.TaskID, change bounding) (limit parley.Budget, err error) {
	for {
		err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
			limit, err = setBudget(tx, c, id, change)
			return err
		})
		if _, given := parley.AsBudgetGiven(err); !given { // else somebody was quicker
			return limit, err
		}
	}
}

func setBudget(tx *store.Tx, c access.Caller, id parley.TaskID, change bounding) (limit parley.Budget, err error) {
	t, err := tx.Task(id)
	if err == nil && t.Team != c.Team {
		err = store.ErrNotFound
	}
	if err != nil {
		return limit, access.NotFound(err, "%s", id)
	}
	b, err := lockOrGive(tx, t)
	if err != nil {
		return limit, err
	}
	if _, repeated, err := c.Repeated(tx, "%s", change.about); repeated || err != nil {
		return b.Limit, err
	}
	if b.Limit, err = change.to(b.Limit); err != nil {
		return limit, err
	}
	b.Told = false
	tx.UpdateBudget(&b)
	tx.Record(parley.Event{Team: c.Team, Kind: parley.EventBudgetRaised, Actor: c.Agent, Task: b.Root, Detail: "set to " + b.Limit.String()})
	waiting, err := tx.WaitingForBudget(b.Root)
	return b.Limit, wakeAll(tx, waiting, err)
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
