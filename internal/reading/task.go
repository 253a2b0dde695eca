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

// Task is a task with the whole of its last closing text.
type Task struct {
	parley.Task
	Text string
	// Late is what holds up an ask whose time is over.
	Late string
}

// Task reads one task.
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

// permitTask asks the rules about looking after a task that the caller has asked
// for. What was asked of it is its own work, and needs nobody's permission.
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

// wholeText reads a message's text, the attached one if the message holds only
// its beginning.
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

// WaitTask waits until the task has ended or the time is over, and reads it
// then. It ends with the context too.
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
	// The store's time may stand still; the waiting ends all the same.
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
	Limit int
}

// Tasks lists tasks, newest first. An agent that names nobody gets its own.
func (s *Service) Tasks(ctx context.Context, c access.Caller, f TaskFilter) (list []parley.Task, err error) {
	filter := store.TaskFilter{Team: c.Team, Roots: f.Roots, Open: f.Open, Limit: f.Limit}
	if f.Agent != "" || !s.everything(c) {
		if filter.Agent, err = s.who(c, f.Agent); err != nil {
			return nil, err
		}
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err = tx.Tasks(filter)
		return err
	})
	return s.visible(c, list), err
}

// Tree reads a task and everything below it, parents before their children.
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

// Dependencies are what a task has to wait for before it begins, or had to.
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
