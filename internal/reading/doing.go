package reading

import (
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/step"
	"parley/internal/store"
)

// Doing is what a running task does at this moment.
type Doing struct {
	Line  string
	Since parley.Micros
}

// Doing says what the running ones of these tasks do at this moment, as far as the caller
// may read their steps.
func (s *Service) Doing(ctx context.Context, c access.Caller, tasks []parley.Task) (of map[parley.TaskID]Doing, err error) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t parley.Task) bool {
		return t.State != parley.Running || !s.seesSteps(c, t)
	})
	if len(tasks) == 0 {
		return nil, nil
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		of, err = doing(tx, tasks)
		return err
	})
	return of, err
}

// doing reads the last steps of running tasks. One without any has just begun.
func doing(tx *store.Tx, tasks []parley.Task) (map[parley.TaskID]Doing, error) {
	ids := make([]parley.TaskID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	newest, err := tx.NewestSteps(ids)
	of := map[parley.TaskID]Doing{}
	for _, t := range tasks {
		var r step.Reader
		for _, row := range newest[t.ID] {
			r.Read(row)
		}
		line, since := r.Now()
		if since == 0 {
			since = t.StartedAt
		}
		of[t.ID] = Doing{Line: line, Since: since}
	}
	return of, err
}

// doingNow says what each agent of a team does at this moment, in the task on which it
// moved last.
func (s *Service) doingNow(tx *store.Tx, c access.Caller) (map[parley.AgentID]Doing, error) {
	if !s.seesAll(c) {
		return nil, nil
	}
	tasks, err := tx.RunningTasks(c.Team)
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	lines, err := doing(tx, tasks)
	of := map[parley.AgentID]Doing{}
	for _, t := range tasks {
		if d := lines[t.ID]; of[t.Agent].Line == "" || d.Since > of[t.Agent].Since {
			of[t.Agent] = d
		}
	}
	return of, err
}
