package contact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// NewTask is work for one agent, or for the least loaded of a role. It may have to
// wait for other tasks.
type NewTask struct {
	Title       string
	Description string
	Target      string // a name, or
	Role        string // anyone of this role
	// After are the tasks that must be completed first.
	After []parley.TaskID
	Path  string // the file that it is about; empty if none
	Key   string
}

// CreateTask is a delegation whose task begins when all that it depends on is
// completed. If something of it fails or is cancelled, the task fails too.
func (s *Service) CreateTask(ctx context.Context, c access.Caller, n NewTask) (Contact, error) {
	r := Request{Target: n.Target, Message: strings.TrimSpace(n.Title + "\n\n" + n.Description), Key: n.Key, title: titleOf(n.Title)}
	var err error
	if n.Path != "" {
		if r.path, err = parley.CleanPath(n.Path); err != nil {
			return Contact{}, err
		}
	}
	switch {
	case strings.TrimSpace(n.Title) == "":
		return Contact{}, parley.Errorf(parley.Invalid, "The task has no title.").WithHint("Say in a few words what is to be done.")
	case (n.Target == "") == (n.Role == ""):
		return Contact{}, parley.Errorf(parley.Invalid, "A task is for one agent, or for one of a role.").WithHint("Give target or role.")
	case n.Role != "":
		if r.Target, err = s.pickByRole(ctx, c, n.Role, n.Key); err != nil {
			return Contact{}, err
		}
	}
	r.after = slices.Clone(n.After)
	slices.Sort(r.after)
	r.after = slices.Compact(r.after)
	return s.open(ctx, c, r, parley.Delegate, nil)
}

// mostDependencies bounds what is locked at once.
const mostDependencies = 50

// checkDependencies finds what the new task has to wait for. The tasks are locked,
// so that none ends unseen, and nobody makes a circle at the same time.
func (o *opening) checkDependencies() error {
	if n := len(o.request.after); n > mostDependencies {
		return parley.Errorf(parley.Limited, "A task depends on at most %d others; these are %d.", mostDependencies, n).WithRule("dependencies")
	}
	above, err := o.above()
	if err != nil {
		return err
	}
	for _, id := range o.request.after {
		if err := o.mayDepend(id, above); err != nil {
			return err
		}
	}
	locked, err := o.tx.LockTasks(o.request.after...)
	if err != nil {
		return err
	}
	for i := range locked {
		t := &locked[i]
		switch {
		case t.State.Open():
			o.after = append(o.after, t)
		case t.State != parley.Completed:
			return parley.Errorf(parley.Conflict, "%s is %s, so nothing can wait for it.", t.ID, t.State).WithHint("Create the task without it, or retry it first.")
		}
	}
	return o.checkCircle(above)
}

// above are the task that the caller works on and those above it: they wait for
// the new one.
func (o *opening) above() (ids []parley.TaskID, err error) {
	for t := o.state.Task; t.ID != 0; {
		ids = append(ids, t.ID)
		if t.Parent == 0 {
			break
		}
		if t, err = o.tx.Task(t.Parent); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// mayDepend refuses what the caller does not know of, and what waits for the new
// task by itself: to lock that would be against the order.
func (o *opening) mayDepend(id parley.TaskID, above []parley.TaskID) error {
	t, err := o.tx.Task(id)
	if err != nil {
		return access.NotFound(err, "%s", id)
	}
	if !o.s.knows(o.caller, o.state.Task, t) {
		return parley.Errorf(parley.NotFound, "%s not found.", id)
	}
	if slices.Contains(above, id) {
		return errCircle([]parley.TaskID{id})
	}
	return nil
}

// knows reports whether a task is of the caller's tree, or was asked by or of it.
func (s *Service) knows(c access.Caller, own, t parley.Task) bool {
	if t.Team != c.Team {
		return false
	}
	return own.ID != 0 && own.Root == t.Root || t.Agent == c.Agent || t.Requester == c.Agent ||
		s.access.IsPerson(c.Agent)
}

// checkCircle refuses a task that would wait for its own end.
func (o *opening) checkCircle(above []parley.TaskID) error {
	var from []parley.TaskID
	for _, t := range o.after {
		from = append(from, t.ID)
	}
	path, err := circle(from, above, o.tx.WaitsFor)
	if err == nil && path != nil {
		err = errCircle(path)
	}
	return err
}

// circle looks for a path from the tasks that a new one would wait for to those
// that wait for the new one. It returns the path, or nil.
func circle(from, to []parley.TaskID, waitsFor func(parley.TaskID) ([]parley.TaskID, error)) ([]parley.TaskID, error) {
	before := map[parley.TaskID]parley.TaskID{}
	queue := slices.Clone(from)
	for _, id := range from {
		before[id] = 0
	}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if slices.Contains(to, id) {
			return pathTo(before, id), nil
		}
		next, err := waitsFor(id)
		if err != nil {
			return nil, err
		}
		for _, n := range next {
			if _, seen := before[n]; !seen {
				before[n] = id
				queue = append(queue, n)
			}
		}
	}
	return nil, nil
}

// pathTo follows the steps back from a task to where the search began.
func pathTo(before map[parley.TaskID]parley.TaskID, id parley.TaskID) (path []parley.TaskID) {
	for ; id != 0; id = before[id] {
		path = append(path, id)
	}
	slices.Reverse(path)
	return path
}

func errCircle(path []parley.TaskID) error {
	return parley.Errorf(parley.Denied, "The task would wait for its own end: it → %s → it.", ids(path, " → ")).WithRule("circle").
		WithHint("A task cannot wait for one that waits for it. Leave the dependency out.")
}

func ids(list []parley.TaskID, between string) string {
	names := make([]string, len(list))
	for i, id := range list {
		names[i] = id.String()
	}
	return strings.Join(names, between)
}

// storeDependencies stores what the new task depends on, and which file it is about.
func (o *opening) storeDependencies() {
	for _, on := range o.after {
		o.tx.InsertDependency(o.task.ID, on)
	}
	if o.request.path != "" {
		o.tx.InsertTaskPath(&o.task, o.request.path)
	}
}

// Settle lets a task begin if everything that it depends on is completed, and
// fails it if something failed or was cancelled. Of several calls at once only one
// finds it waiting.
func (s *Service) Settle(ctx context.Context, id parley.TaskID) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err != nil {
			return err
		}
		tasks, err := tx.LockTasks(t.Parent, id)
		if err != nil {
			return err
		}
		task := &tasks[1]
		if task.State != parley.Waiting || task.Waits != parley.WaitDependency {
			return nil
		}
		on, err := tx.Dependencies(id)
		if err != nil {
			return err
		}
		open := false
		for _, t := range on {
			switch {
			case t.State.Open():
				open = true
			case t.State != parley.Completed:
				f := finish{s: s, tx: tx, task: task, parent: &tasks[0]}
				return f.fail(fmt.Sprintf("it depends on %s, which was not completed (%s): %s", t.ID, t.State, t.Error))
			}
		}
		if open {
			return nil
		}
		return requeue(tx, task)
	})
}

// CreatedText says what came of a new task. What it waited for may have ended
// since, if the call is made again.
func CreatedText(made Contact, after []parley.TaskID) string {
	text := fmt.Sprintf("Created %s for %s.", made.Task.ID, made.Target)
	if made.Task.Waits == parley.WaitDependency {
		text += fmt.Sprintf(" It begins when %s is completed.", ids(after, ", "))
	}
	return text + " You'll receive the result automatically when " + made.Target + " finishes."
}
