package contact

import (
	"cmp"
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/wake"
)

// Cancel ends a task and its whole subtree. A cancelled task never runs again;
// what a turn under way still brings is dropped. If somebody else than the
// parent task cancels it, the parent is told as of a failure.
func (s *Service) Cancel(ctx context.Context, c access.Caller, id parley.TaskID) error {
	if err := s.access.PermitOutside(ctx, c, policy.TaskOp, "cancel "+id.String()); err != nil {
		return err
	}
	return s.withTask(ctx, c, id, func(f *finish) error {
		t := f.task
		if err := s.mayCancel(f.tx, c, *t); err != nil {
			return err
		}
		if c.Token != 0 && t.State == parley.Cancelled && t.EndedBy == c.Agent {
			return nil // a turn that goes on after a crash finds what it did before
		}
		if !t.State.Open() {
			return parley.Errorf(parley.Conflict, "%s has ended already (%s).", id, t.State)
		}
		by, err := s.name(f.tx, c.Agent)
		if err != nil {
			return err
		}
		t.Error = parley.CancelledReason(by)
		if err := cancel(f.tx, t, c.Agent); err != nil {
			return err
		}
		if err := s.cancelBelow(f.tx, id, c.Agent); err != nil {
			return err
		}
		if t.Parent != 0 && t.Parent == c.Task {
			return f.forget()
		}
		return f.callBack(parley.FailureMessage, 0)
	})
}

// forget takes a child that its own parent cancelled off the parent's list.
// Nothing will come of it to the parent's inbox.
func (f *finish) forget() error {
	if err := f.unask(); err != nil {
		return err
	}
	if f.task.Counted() {
		f.parent.OpenChildren--
		f.tx.UpdateProgress(f.parent)
	}
	f.task.Callback = parley.CallbackNone
	f.tx.UpdateTask(f.task)
	return nil
}

// mayCancel allows people, the one who asked for the task, and whoever works
// on a task above it.
func (s *Service) mayCancel(tx *store.Tx, c access.Caller, t parley.Task) error {
	if by, ok := s.dir.Entry(c.Agent); ok && by.Kind == parley.Person {
		return nil
	}
	for above := t; ; {
		if above.Requester == c.Agent {
			return nil
		}
		if above.Parent == 0 {
			return parley.Errorf(parley.Denied, "%s is not yours to cancel.", t.ID).WithRule(access.RuleOwnTask).
				WithHint("Only a person, or who asked for the task or one above it, may do so.")
		}
		var err error
		if above, err = tx.Task(above.Parent); err != nil {
			return err
		}
	}
}

func cancel(tx *store.Tx, t *parley.Task, by parley.AgentID) error {
	if err := withdraw(tx, t, by); err != nil {
		return err
	}
	if t.State == parley.Running {
		tx.Signal(wake.Cancelled, int64(t.ID))
	}
	if t.Budget != 0 {
		tx.Release(t.ID) // it counts no more; this only tidies up
	}
	t.State, t.Worker, t.Waits, t.EndedAt, t.EndedBy = parley.Cancelled, 0, parley.WaitNone, tx.Now, by
	tx.UpdateTask(t)
	tx.Record(parley.Event{Team: t.Team, Kind: parley.EventCancelled, Actor: by, Target: t.Agent, Task: t.ID})
	return nil
}

// cancelBelow cancels the open descendants of a task whose lock is held. A
// descendant may be opening another one at this moment, so it looks again
// until nothing new appears.
func (s *Service) cancelBelow(tx *store.Tx, top parley.TaskID, by parley.AgentID) error {
	name, err := s.name(tx, by)
	if err != nil {
		return err
	}
	for {
		all, err := tx.Subtree(top)
		if err != nil {
			return err
		}
		var open []parley.TaskID
		for _, t := range all[1:] {
			if t.State.Open() {
				open = append(open, t.ID)
			}
		}
		if len(open) == 0 {
			return nil
		}
		locked, err := tx.LockTasks(open...)
		if err != nil {
			return err
		}
		for i := range locked {
			if t := &locked[i]; t.State.Open() {
				t.Error = parley.CancelledReason(name)
				if err := cancel(tx, t, by); err != nil {
					return err
				}
				if err := s.unaskBelow(tx, t); err != nil {
					return err
				}
			}
		}
	}
}

// unaskBelow takes down that a question will not be answered, if the task was one.
func (s *Service) unaskBelow(tx *store.Tx, t *parley.Task) error {
	f := finish{s: s, tx: tx, task: t, parent: &parley.Task{}} // nobody is told
	return f.unask()
}

// Retry opens the work of a failed or cancelled task again, as a new task
// that names the old one. It goes to the parent's inbox if the parent is
// still open, else to whoever asked.
func (s *Service) Retry(ctx context.Context, c access.Caller, id parley.TaskID) (parley.Task, error) {
	var made, old parley.Task
	var refused string
	err := s.withTask(ctx, c, id, func(f *finish) (err error) {
		old, refused = *f.task, ""
		if err := s.mayCancel(f.tx, c, old); err != nil {
			return err
		}
		if old.State != parley.TaskFailed && old.State != parley.Cancelled {
			return parley.Errorf(parley.Conflict, "%s is %s.", id, old.State).
				WithHint("Only a failed or cancelled task can be retried.")
		}
		if old.Pattern == parley.Query || old.Pattern == parley.Answer {
			return parley.Errorf(parley.Conflict, "%s belongs to a question, which cannot be retried.", id).WithHint("Ask the question again.")
		}
		if refused, err = s.mayRetry(f.tx, c, old); err != nil {
			return err
		}
		made, err = f.reopen(old, c.Agent)
		return err
	})
	if refused != "" {
		s.access.Refused(ctx, c, old.Agent, err, "retry: "+refused)
	}
	return made, err
}

// mayRetry asks the rules of whoever asked for the task, in whose name it is
// asked for again; they may have changed since. A person decides by themselves.
// With the refusal comes its text for the record.
func (s *Service) mayRetry(tx *store.Tx, c access.Caller, old parley.Task) (record string, err error) {
	if by := s.access.PartyOf(c.Agent); by.Kind == parley.Person {
		return "", nil
	}
	who, err := s.access.StoredParty(tx, old.Requester)
	if err != nil {
		return "", err
	}
	to, err := s.access.StoredParty(tx, old.Agent)
	if err != nil {
		return "", err
	}
	ruling := policy.Authorize(&who, policy.Send(&to))
	if err = ruling.Err(); err != nil {
		return ruling.Explained(err), err
	}
	return s.spendRate(tx, c)
}

// spendRate takes one contact out of the minute of whoever tries again.
func (s *Service) spendRate(tx *store.Tx, c access.Caller) (record string, err error) {
	by, err := tx.LockAgent(c.Agent)
	if err != nil {
		return "", err
	}
	rate, refusal := policy.Spend(tx.Now, by, s.dir.Limits(c.Agent))
	if refusal != nil {
		return parley.WithRule(parley.Public(refusal), parley.RuleOf(refusal)), refusal
	}
	tx.SetRate(c.Agent, rate)
	return "", nil
}

func (f *finish) reopen(old parley.Task, by parley.AgentID) (parley.Task, error) {
	if old.Request == 0 {
		return old, parley.Errorf(parley.Conflict, "What %s was asked is too old and was removed.", old.ID).
			WithHint("Ask for it anew.")
	}
	request, err := f.tx.Message(old.Request)
	if err != nil {
		return old, err
	}
	target, err := f.tx.Agent(old.Agent)
	if err != nil {
		return old, err
	}
	if target.Gone() {
		return old, policy.ErrOffline(target.Name)
	}
	limits := f.s.dir.Limits(old.Requester)
	t := parley.Task{
		ID: f.tx.NewTaskID(), Team: old.Team, RetryOf: old.ID, Pattern: parley.Delegate, Requester: old.Requester,
		Agent: old.Agent, Thread: old.Thread, Title: old.Title, Priority: old.Priority, State: parley.Queued,
		DelegationDepth: old.DelegationDepth,
	}
	if old.Pattern == parley.Mention {
		t.Pattern, t.Cause = old.Pattern, old.Cause
	}
	t.Root = t.ID
	t.Due = policy.Due(target, t.Pattern, f.tx.Now)
	t.Deadline = max(f.tx.Now, t.Due).Add(limits.DelegationDeadline)
	if request.Kind == parley.SentMessage {
		t.Parent, t.Root = f.parent.ID, cmp.Or(f.parent.Root, t.ID) // nothing comes back of it this time either
	} else if f.parent.ID != 0 && f.parent.State.Open() {
		t.Parent, t.Root, t.Callback = f.parent.ID, f.parent.Root, parley.CallbackResult
		f.parent.OpenChildren++
		f.tx.UpdateProgress(f.parent)
	}
	if err := f.budgetAgain(&t, old, by); err != nil {
		return t, err
	}
	after, err := f.waitAgain(&t, old)
	if err != nil {
		return t, err
	}
	if err := f.askAgain(&t, request, target, by); err != nil {
		return t, err
	}
	for i := range after {
		f.tx.InsertDependency(t.ID, &after[i])
	}
	return t, nil
}

// askAgain stores the request once more, with the task that it now asks for.
func (f *finish) askAgain(t *parley.Task, request parley.Message, target parley.Agent, by parley.AgentID) error {
	m := parley.Message{Team: t.Team, Thread: t.Thread, Author: t.Requester, Kind: kindAgain(request),
		Priority: t.Priority, Body: request.Body, Context: request.Context, Task: t.ID}
	if m.Kind == parley.PostMessage {
		m.Task, m.Priority = 0, 0
	}
	if err := f.tx.Post(&m, store.Recipient{ID: target.ID, Pulls: target.Pulls()}); err != nil {
		return err
	}
	t.Request = m.ID
	f.tx.InsertTask(t)
	f.tx.Record(parley.Event{Team: t.Team, Kind: parley.EventTask, Actor: by, Target: t.Agent, Task: t.ID,
		Message: m.ID, Detail: "retry of " + t.RetryOf.String()})
	return nil
}

// kindAgain is how work is asked for again: as a delegation, whatever it was,
// unless nothing comes back of it.
func kindAgain(request parley.Message) parley.MessageKind {
	switch request.Kind {
	case parley.SentMessage:
		return parley.SentMessage
	case parley.PostMessage, parley.ReplyMessage: // in which it was mentioned
		return parley.PostMessage
	default:
		return parley.DelegateMessage
	}
}
