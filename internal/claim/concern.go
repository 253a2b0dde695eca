package claim

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// intentLease is how long an announced intent counts, unless its task ends before.
const intentLease = 30 * time.Minute

// Intend records that the caller's task is about to work on a file.
func (s *Service) Intend(ctx context.Context, c access.Caller, path string) error {
	path, err := parley.CleanPath(path)
	if err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := c.LockOwnTask(tx); err != nil {
			return err
		}
		tx.SweepClaims(c.Team)
		tx.PutIntent(c.Team, path, c.Agent, c.Task, tx.Now.Add(intentLease))
		return nil
	})
}

// Concerned finds those whom news about a path concerns: everyone who works on it,
// with the task in which it does. If nobody else does, or without a path, it is the
// agents with the caller's role.
func (s *Service) Concerned(ctx context.Context, c access.Caller, path string) ([]parley.AgentID, map[parley.AgentID]parley.TaskID, error) {
	var busy []parley.AgentID
	tasks := map[parley.AgentID]parley.TaskID{}
	if path != "" {
		var err error
		if busy, tasks, err = s.Working(ctx, c, path); err != nil {
			return nil, nil, err
		}
	}
	own, _ := s.dir.Entry(c.Agent)
	var alike []parley.AgentID
	for _, e := range s.dir.InRole(c.Team, own.Role) {
		alike = append(alike, e.ID)
	}
	return concerns(c.Agent, busy, alike), tasks, nil
}

// Working finds the others who work on a path: who have a claim, an intent or an open
// task there, with the task in which they do.
func (s *Service) Working(ctx context.Context, c access.Caller, path string) (busy []parley.AgentID, tasks map[parley.AgentID]parley.TaskID, err error) {
	path, err = parley.CleanPath(path)
	if err != nil {
		return nil, nil, err
	}
	tasks = map[parley.AgentID]parley.TaskID{}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err := tx.BusyOn(c.Team, path)
		for _, b := range list {
			busy = append(busy, b.Agent)
			tasks[b.Agent] = b.Task
		}
		return err
	})
	return concerns(c.Agent, busy, nil), tasks, err
}

// concerns picks those who work on the path, or else those of the same role, but
// never the caller.
func concerns(self parley.AgentID, busy, alike []parley.AgentID) []parley.AgentID {
	for _, list := range [][]parley.AgentID{busy, alike} {
		list = slices.DeleteFunc(slices.Clone(list), func(id parley.AgentID) bool { return id == self })
		slices.Sort(list)
		if list = slices.Compact(list); len(list) > 0 {
			return list
		}
	}
	return nil
}
