package contact

import (
	"context"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/store"
)

// Reply completes a task by the one it was asked of, who is not run by the
// hub: a person, say. The first reply counts.
func (s *Service) Reply(ctx context.Context, c access.Caller, id parley.TaskID, text string) error {
	if strings.TrimSpace(text) == "" {
		return parley.Errorf(parley.Invalid, "The reply is empty.")
	}
	return s.finishOwn(ctx, c, "reply "+text, id, text, func(f *finish) error {
		if err := f.nothingOpen(c); err != nil {
			return err
		}
		f.last = true
		if err := f.say(text); err != nil {
			return err
		}
		if err := withdraw(f.tx, f.task, c.Agent); err != nil {
			return err
		}
		return f.complete()
	})
}

// nothingOpen refuses to complete a task whose subtasks are open, as no turn does: their
// results would come to nobody. A person may know better.
func (f *finish) nothingOpen(c access.Caller) error {
	if f.task.OpenChildren == 0 || f.s.access.IsPerson(c.Agent) {
		return nil
	}
	all, err := f.tx.Subtree(f.task.ID)
	if err != nil {
		return err
	}
	var open []string
	for _, t := range all[1:] {
		if t.Parent == f.task.ID && t.State.Open() && t.Counted() {
			open = append(open, t.ID.String())
		}
	}
	return parley.Errorf(parley.Conflict, "%s has open subtasks: %s.", f.task.ID, strings.Join(open, ", ")).
		WithHint("Wait for their results, or cancel them first.")
}

// Decline fails a task by the one it was asked of.
func (s *Service) Decline(ctx context.Context, c access.Caller, id parley.TaskID, reason string) error {
	if strings.TrimSpace(reason) == "" {
		return parley.Errorf(parley.Invalid, "The reason is empty.").WithHint("Say why, for the one who asked.")
	}
	if limit := s.dir.Limits(c.Agent).MessageBytes; len(reason) > limit {
		return errTooLong(len(reason), limit)
	}
	return s.finishOwn(ctx, c, "decline "+reason, id, "", func(f *finish) error { return f.fail(reason) })
}

func (s *Service) finishOwn(ctx context.Context, c access.Caller, verb string, id parley.TaskID, text string, how func(*finish) error) error {
	return s.withTask(ctx, c, verb, id, text, func(f *finish) error {
		if f.task.Agent != c.Agent {
			return parley.Errorf(parley.Denied, "%s was not asked of you.", id).WithRule(access.RuleOwnTask)
		}
		if !f.task.State.Open() {
			return parley.Errorf(parley.Conflict, "%s has ended already (%s).", id, f.task.State)
		}
		f.tx.MarkSeen(f.task.Request, c.Agent)
		return how(f)
	})
}

// withTask ends a task of the caller's team, or refuses to. A request that is
// repeated under its key has nothing left to do. text is what it ends with; it may
// mention others.
func (s *Service) withTask(ctx context.Context, c access.Caller, verb string, id parley.TaskID, text string, do func(*finish) error) error {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		f := finish{s: s, tx: tx}
		if err := f.lockTask(c, id, text); err != nil {
			return err
		}
		if _, repeated, err := c.Repeated(tx, "%s %s", verb, id); repeated || err != nil {
			return err
		}
		return do(&f)
	})
	return s.access.RecordDenied(ctx, c, "change "+id.String(), err)
}

// lockTask locks a task of the caller's team, and its parent before it. For a
// caller from outside the budget of the task comes first: work that is asked for
// again, or that mentions others, counts.
func (f *finish) lockTask(c access.Caller, id parley.TaskID, text string) error {
	if err := c.LockLease(f.tx); err != nil {
		return err
	}
	t, err := f.tx.Task(id)
	if err != nil {
		return access.NotFound(err, "%s", id)
	}
	if t.Team != c.Team {
		return parley.Errorf(parley.NotFound, "%s not found.", id)
	}
	if t.Budget != 0 && c.Token == 0 {
		a, err := budget.Open(f.tx, t.Budget, t.Team, parley.Budget{})
		if err != nil {
			return err
		}
		f.account = &a
	}
	if t.Agent == c.Agent {
		if err := f.lockMentions(t.Team, t.Agent, t.ID, t.Lease().Mention, text); err != nil {
			return err
		}
	}
	tasks, err := f.tx.LockTasks(t.Parent, id)
	if err != nil {
		return err
	}
	f.parent, f.task = &tasks[0], &tasks[1]
	return nil
}
