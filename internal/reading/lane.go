package reading

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/trace"
)

// Lane is when a task was worked on, and what that cost.
type Lane struct {
	Spans []trace.Span
	Spent parley.Spending // by the task itself
}

// Lanes says of some tasks of a tree when each was worked on and when it waited. all are
// the tasks of the tree, among which their subtasks are found.
func (s *Service) Lanes(ctx context.Context, c access.Caller, all, some []parley.Task) (of map[parley.TaskID]Lane, err error) {
	below := map[parley.TaskID][]parley.Task{}
	for _, t := range all {
		below[t.Parent] = append(below[t.Parent], t)
	}
	var ids []parley.TaskID
	for _, t := range some {
		if s.seesSteps(c, t) {
			ids = append(ids, t.ID)
		}
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		of = make(map[parley.TaskID]Lane, len(some))
		steps, err := tx.StepTimes(ids)
		for _, t := range some {
			w := trace.Work{Task: t, Steps: steps[t.ID], Below: below[t.ID], Person: s.access.IsPerson}
			lane := Lane{Spans: w.Lane(tx.Now)}
			for _, one := range steps[t.ID] {
				lane.Spent = lane.Spent.Plus(one.Spent)
			}
			of[t.ID] = lane
		}
		return err
	})
	return of, err
}

// RootOf is the root of the tree that a task is in; 0 if there is no such task in the
// caller's team.
func (s *Service) RootOf(ctx context.Context, c access.Caller, id parley.TaskID) (root parley.TaskID, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err == nil && t.Team == c.Team {
			root = t.Root
		}
		return err
	})
	return root, err
}

// Arrows are those of some tasks, which the caller has read: one and tasks below it,
// parents before children.
func (s *Service) Arrows(ctx context.Context, c access.Caller, tasks []parley.Task) (list []trace.Arrow, err error) {
	tasks = s.visible(c, slices.Clone(tasks))
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err = trace.Arrows(tx, tasks)
		return err
	})
	return list, err
}

// ResumedBy is the task that goes on where a failed one has ended; 0 if there is none.
func (s *Service) ResumedBy(ctx context.Context, c access.Caller, id parley.TaskID) (next parley.TaskID, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.ResumedBy(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if s.seesTask(c, t) {
			next = t.ID
		}
		return err
	})
	return next, err
}

// TreeCosts is what the trees of some roots have spent.
func (s *Service) TreeCosts(ctx context.Context, c access.Caller, roots []parley.Task) (of map[parley.TaskID]parley.Money, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		of = make(map[parley.TaskID]parley.Money, len(roots))
		for _, t := range roots {
			if !s.seesTask(c, t) {
				continue
			}
			spent, err := treeSpending(tx, t)
			if err != nil {
				return err
			}
			of[t.ID] = spent.Spent.Money
		}
		return nil
	})
	return of, err
}
