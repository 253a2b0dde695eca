package reading

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/trace"
)

// Task is a task with its latest result in full.
type Task struct {
	parley.Task
	Text string
	// Late is what holds up an ask whose time is over.
	Late string
}

func (s *Service) Task(ctx context.Context, c access.Caller, id parley.TaskID) (t Task, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err = s.read(tx, c, id)
		return err
	})
	if err != nil {
		return Task{}, err
	}
	if err := s.permitTask(ctx, c, t.Task, "status"); err != nil {
		return Task{}, err
	}
	return t, nil
}

// permitTask asks the rules whether the caller may check on a task that it requested.
// A task that the caller was asked to do is its own work and needs no permission.
func (s *Service) permitTask(ctx context.Context, c access.Caller, t parley.Task, verb string) error {
	if t.Agent == c.Agent {
		return nil
	}
	return s.access.PermitOutside(ctx, c, policy.TaskOp, verb+" "+t.ID.String())
}

func (s *Service) read(tx *store.Tx, c access.Caller, id parley.TaskID) (t Task, err error) {
	t.Task, err = tx.Task(id)
	if err := orMissing(err, s.seesTask(c, t.Task), id); err != nil {
		return Task{}, err
	}
	if t.Text, err = wholeText(tx, t.Result); err != nil {
		return t, err
	}
	t.Late, err = s.contacts.WhyLate(tx, t.Task)
	return t, err
}

// wholeText reads the full text of a message: its attachment, if the body is only the
// beginning.
func wholeText(tx *store.Tx, id parley.MessageID) (string, error) {
	if id == 0 {
		return "", nil
	}
	whole, err := tx.Attachment(id)
	if !errors.Is(err, store.ErrNotFound) {
		return whole, err
	}
	m, err := tx.Message(id)
	return m.Body, err
}

// WaitTask waits until the task has ended or the time is over, and then reads it. It
// also returns when the context is done.
func (s *Service) WaitTask(ctx context.Context, c access.Caller, id parley.TaskID, wait time.Duration) (Task, error) {
	var now parley.Micros
	var t Task
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now
		t, err = s.read(tx, c, id)
		return err
	})
	if err == nil {
		err = s.permitTask(ctx, c, t.Task, "await")
	}
	if err != nil {
		return Task{}, err
	}
	if !t.State.Open() || wait <= 0 {
		return t, nil
	}
	// The store's clock may stand still; the wait must end all the same.
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if _, err := s.contacts.WaitTask(waiting, id, now.Add(wait)); err != nil && waiting.Err() == nil {
		return t, err
	}
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	return s.Task(ctx, c, id)
}

// TaskFilter picks tasks for a list.
type TaskFilter struct {
	Agent string // a name; empty for anyone
	Roots bool
	Open  bool
	Ended bool
	State parley.State // 0: any
	// Before leaves out a task and those after it; 0 leaves out none.
	Before parley.TaskID
	Limit  int
}

// Tasks lists tasks, newest first. An agent that names nobody gets its own.
func (s *Service) Tasks(ctx context.Context, c access.Caller, f TaskFilter) (list []parley.Task, err error) {
	filter := store.TaskFilter{Team: c.Team, Roots: f.Roots, Open: f.Open, Ended: f.Ended, State: f.State, Before: f.Before, Limit: f.Limit}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if f.Agent != "" || !s.seesAll(c) {
			if filter.Agent, err = s.anyID(tx, c, f.Agent); err != nil {
				return err
			}
		}
		list, err = tx.Tasks(filter)
		return err
	})
	return s.visible(c, list), err
}

// Titles are those of some tasks that the caller may see, read at once.
func (s *Service) Titles(ctx context.Context, c access.Caller, ids []parley.TaskID) (of map[parley.TaskID]string, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		tasks, err := tx.TasksOf(ids)
		of = make(map[parley.TaskID]string, len(tasks))
		for id, t := range tasks {
			if s.seesTask(c, t) {
				of[id] = t.Title
			}
		}
		return err
	})
	return of, err
}

// Tree reads a task and its descendants, parents before children.
func (s *Service) Tree(ctx context.Context, c access.Caller, id parley.TaskID) (list []parley.Task, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err = s.subtree(tx, c, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.permitTask(ctx, c, list[0], "status"); err != nil {
		return nil, err
	}
	return list, nil
}

// Trace reads the arrows of a task tree.
func (s *Service) Trace(ctx context.Context, c access.Caller, id parley.TaskID) (list []trace.Arrow, err error) {
	var tasks []parley.Task
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if tasks, err = s.subtree(tx, c, id); err != nil {
			return err
		}
		list, err = trace.Arrows(tx, tasks)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.permitTask(ctx, c, tasks[0], "status"); err != nil {
		return nil, err
	}
	return list, nil
}

func (s *Service) subtree(tx *store.Tx, c access.Caller, id parley.TaskID) ([]parley.Task, error) {
	list, err := tx.Subtree(id)
	if err := orMissing(err, len(list) > 0 && s.seesTask(c, list[0]), id); err != nil {
		return nil, err
	}
	return s.visible(c, list), nil
}

func (s *Service) visible(c access.Caller, list []parley.Task) []parley.Task {
	return slices.DeleteFunc(list, func(t parley.Task) bool { return !s.seesTask(c, t) })
}

// Dependencies are the tasks that a task waits for before it begins, or has waited
// for.
func (s *Service) Dependencies(ctx context.Context, c access.Caller, id parley.TaskID) (list []parley.Task, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err := orMissing(err, s.seesTask(c, t), id); err != nil {
			return err
		}
		list, err = tx.Dependencies(id)
		return err
	})
	return list, err
}
