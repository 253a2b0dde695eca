package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/store"
)

// lockBudget locks the account of the caller's tree; nil if it has none.
func lockBudget(tx *store.Tx, c access.Caller) (*budget.Account, error) {
	root := c.Budget
	if c.Task != 0 && c.Token == 0 {
		t, err := tx.Task(c.Task)
		if err != nil {
			return nil, access.NotFound(err, "%s", c.Task)
		}
		root = t.Budget
	}
	if root == 0 {
		return nil, nil
	}
	a, err := budget.Open(tx, root, c.Team, parley.Budget{})
	return &a, err
}

// moreTasks refuses tasks that are too many for their tree.
func moreTasks(a *budget.Account, by parley.TaskID, n int) error {
	v, err := a.Judge(by, budget.Want{Tasks: int64(n)})
	if err == nil && v == budget.TreeSpent {
		err = a.Spent(int64(n))
	}
	return err
}

// mayGiveBudget refuses a budget that the caller may not give.
func (o *opening) mayGiveBudget() error {
	switch {
	case o.state.Sender.Kind != parley.Person:
		return access.ErrPeopleOnly("give a task a budget")
	case o.caller.Task != 0:
		return parley.Errorf(parley.Conflict, "Only the first task of a tree is given a budget; the others draw on it.")
	case o.pattern == parley.Notify:
		return parley.Errorf(parley.Conflict, "A notification makes no task, so it has no budget.")
	}
	return nil
}

// endow gives the tree of a new root its budget, if it has one.
func endow(tx *store.Tx, root *parley.Task, limit parley.Budget) {
	if limit.Set() {
		root.Budget = root.ID
		tx.InsertBudget(&parley.TreeBudget{Root: root.ID, Team: root.Team, Limit: limit})
	}
}

// account locks the budgets that a turn spends from; nil if nothing bounds it.
func (s *Service) account(tx *store.Tx, l parley.Lease) (*budget.Account, error) {
	daily := s.dir.Limits(l.Agent).Daily
	if !budget.Bounded(l.Budget, daily) {
		return nil, nil
	}
	a, err := budget.Open(tx, l.Budget, l.Team, daily)
	return &a, err
}

// RaiseBudget adds to what the tree of a task may spend, and lets go on what waits
// for it. Only a person may do so.
func (s *Service) RaiseBudget(ctx context.Context, c access.Caller, id parley.TaskID, by parley.Budget) error {
	if err := s.access.PeopleOnly(ctx, c, "raise a budget", "raise the budget of "+id.String()); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err == nil && t.Team != c.Team {
			err = store.ErrNotFound
		}
		if err != nil {
			return access.NotFound(err, "%s", id)
		}
		if t.Budget == 0 {
			return parley.Errorf(parley.Conflict, "The tree of %s has no budget, so nothing bounds it.", id).
				WithHint("Give it one with: parley task budget %s --set %s", id, by)
		}
		b, err := tx.LockBudget(t.Budget)
		if err != nil {
			return err
		}
		if _, repeated, err := c.Repeated(tx, "raise the budget of %s by %s", id, by); repeated || err != nil {
			return err
		}
		if b.Limit, err = b.Limit.Raise(by); err != nil {
			return err
		}
		b.Told = false
		tx.UpdateBudget(&b)
		tx.Record(parley.Event{Team: c.Team, Kind: parley.EventBudgetRaised, Actor: c.Agent, Task: b.Root, Detail: by.String()})
		waiting, err := tx.WaitingForBudget(b.Root)
		return wakeAll(tx, waiting, err)
	})
}

// RaiseToday adds to what the caller's team may spend today, and lets go on what
// was put off until tomorrow. Only a person may do so.
func (s *Service) RaiseToday(ctx context.Context, c access.Caller, by parley.Budget) error {
	if err := s.access.PeopleOnly(ctx, c, "raise a budget", "raise the team's budget"); err != nil {
		return err
	}
	daily := s.dir.Limits(c.Agent).Daily
	if !daily.Set() {
		return parley.Errorf(parley.Conflict, "The team has no budget of the day, so nothing bounds it.").
			WithHint("Set one in parley.yaml under limits: daily.")
	}
	if _, err := daily.Raise(by); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		d, err := tx.LockToday(c.Team)
		if err != nil {
			return err
		}
		if _, repeated, err := c.Repeated(tx, "raise the budget of the day by %s", by); repeated || err != nil {
			return err
		}
		d.Extra.Tokens, d.Extra.Money, d.Told = d.Extra.Tokens+by.Tokens, d.Extra.Money+by.Money, false
		tx.UpdateDay(&d)
		tx.Record(parley.Event{Team: c.Team, Kind: parley.EventDayRaised, Actor: c.Agent, Detail: by.String()})
		waiting, err := tx.WaitingForTomorrow(c.Team)
		return wakeAll(tx, waiting, err)
	})
}

// ReconsiderDay lets go on what was put off until tomorrow if the budget of the
// day, as the files have it by now, has room again.
func (s *Service) ReconsiderDay(ctx context.Context, team parley.TeamID) error {
	var n int
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.CountWaitingForTomorrow(team)
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		d, err := tx.LockToday(team)
		if err != nil {
			return err
		}
		waiting, err := tx.WaitingForTomorrow(team)
		if err != nil || len(waiting) == 0 {
			return err
		}
		a, err := budget.Open(tx, 0, team, s.dir.Limits(waiting[0].Agent).Daily)
		if err != nil {
			return err
		}
		if v, err := a.Judge(0, budget.Want{Tokens: 1, Money: 1}); err != nil || v == budget.DaySpent {
			return err
		}
		d.Told = false
		tx.UpdateDay(&d)
		return wakeAll(tx, waiting, nil)
	})
}

// wakeAll queues tasks that waited for a budget.
func wakeAll(tx *store.Tx, list []parley.Task, err error) error {
	for i := range list {
		if err := requeue(tx, &list[i]); err != nil {
			return err
		}
	}
	return err
}
