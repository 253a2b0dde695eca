package contact

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/policy"
	"parley/internal/store"
)

// Retry opens the work of a failed or cancelled task again, as a new task
// that names the old one. Its result goes to the parent's inbox if the parent is
// still open, else to whoever asked.
func (s *Service) Retry(ctx context.Context, c access.Caller, id parley.TaskID) (parley.Task, error) {
	r, err := s.openAgain(ctx, retry{s: s, caller: c, verb: "retry"}, id)
	return r.made, err
}

// openAgain runs the transaction of a retry or a resumption.
func (s *Service) openAgain(ctx context.Context, as retry, id parley.TaskID) (retry, error) {
	var r retry
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		r = as
		r.tx = tx
		return r.run(id)
	})
	err = s.access.RecordDenied(ctx, as.caller, "change "+id.String(), err)
	if r.refusal != "" {
		s.access.RecordRefused(ctx, as.caller, r.old.Agent, err, as.verb+": "+r.refusal)
	}
	if err != nil {
		return as, err
	}
	return r, nil
}

// retry is one run of the transaction.
type retry struct {
	s      *Service
	tx     *store.Tx
	caller access.Caller
	verb   string // retry or resume
	old    parley.Task
	parent *parley.Task // of the old one

	made    parley.Task
	refusal string // by the rules or the rate, for the record

	taken takeover // by a resumption
}

func (r *retry) run(id parley.TaskID) error {
	f := finish{s: r.s, tx: r.tx}
	err := f.lockTask(r.caller, id, "")
	if err != nil {
		return err
	}
	r.old = *f.task
	if r.parent, err = openHeir(r.tx, f.parent); err != nil {
		return err
	}
	made, repeated, err := r.caller.Repeated(r.tx, r.verb+" %s", id)
	if err != nil {
		return err
	}
	if repeated {
		if r.made, err = r.tx.Task(parley.TaskID(made)); err == nil && r.resumes() {
			err = r.takeOver()
		}
		return err
	}
	if err := r.s.mayChange(r.tx, r.caller, r.old, r.verb); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	if !r.byPerson() { // a person decides by themselves
		if err := r.authorize(); err != nil {
			return err
		}
	}
	if err := r.make(); err != nil {
		return err
	}
	r.caller.Made(r.tx, int64(r.made.ID))
	return nil
}

// check refuses what cannot be asked for again.
func (r *retry) check() error {
	id := r.old.ID
	if r.old.Pattern == parley.QuestionPattern || r.old.Pattern == parley.AnswerPattern {
		return parley.Errorf(parley.Conflict, "%s belongs to a question, which cannot be %s.", id, past[r.verb]).WithHint("Ask the question again.")
	}
	if r.resumes() {
		return r.checkResumed()
	}
	if r.old.State != parley.TaskFailed && r.old.State != parley.Cancelled {
		return parley.Errorf(parley.Conflict, "%s is %s.", id, r.old.State).
			WithHint("Only a failed or cancelled task can be retried.")
	}
	return nil
}

var past = map[string]string{"retry": "retried", "resume": "resumed"}

func (r *retry) byPerson() bool { return r.s.access.IsPerson(r.caller.Agent) }

// authorize asks the rules of whoever asked for the task, in whose name it is
// asked for again: they may have changed since. It costs the rate of whoever
// retries it.
func (r *retry) authorize() error {
	who, err := r.s.access.StoredParty(r.tx, r.old.Requester)
	if err != nil {
		return err
	}
	to, err := r.s.access.StoredParty(r.tx, r.old.Agent)
	if err != nil {
		return err
	}
	ruling := policy.Authorize(&who, policy.Send(&to))
	if err = ruling.Err(); err != nil {
		r.refusal = ruling.Explained(err)
		return err
	}
	by, err := r.tx.LockAgent(r.caller.Agent)
	if err != nil {
		return err
	}
	rate, refused := policy.Spend(r.tx.Steady, by, r.s.dir.Limits(r.caller.Agent), 1)
	if refused != nil {
		r.refusal = parley.WithRule(parley.Public(refused), parley.RuleOf(refused))
		return refused
	}
	r.tx.SetRate(r.caller.Agent, rate)
	return nil
}

func (r *retry) make() error {
	if r.old.Request == 0 {
		return parley.Errorf(parley.Conflict, "What %s was asked is too old and was removed.", r.old.ID).
			WithHint("Ask for it anew.")
	}
	request, err := r.tx.Message(r.old.Request)
	if err != nil {
		return err
	}
	target, err := r.tx.Agent(r.old.Agent)
	if err != nil {
		return err
	}
	if target.Gone() {
		return policy.ErrOffline(target.Name)
	}
	t := r.plan(target, request.Kind)
	if err := r.chargeBudget(&t); err != nil {
		return err
	}
	if r.resumes() {
		if err := r.takeOver(); err != nil {
			return err
		}
		t.Resumes = r.old.ID
	}
	after, err := r.dependencies()
	if err != nil {
		return err
	}
	if len(after) > 0 {
		waitForDependencies(&t)
	}
	if err := r.store(&t, request, target); err != nil {
		return err
	}
	for i := range after {
		r.tx.InsertDependency(t.ID, &after[i])
	}
	if r.taken.turn > 0 {
		r.storeTaken(&t)
	}
	r.made = t
	return nil
}

// plan makes the new task. It is a delegation whatever the old one was, unless a
// mention began that.
func (r *retry) plan(target parley.Agent, kind parley.MessageKind) parley.Task {
	old, pattern := r.old, parley.Delegate
	if old.Pattern == parley.Mention {
		pattern = parley.Mention
	}
	t := newTask(r.tx, order{pattern: pattern, requester: old.Requester, agent: target, thread: old.Thread, title: old.Title,
		lifetime: r.s.dir.Limits(old.Requester).DelegationDeadline})
	t.RetryOf, t.Priority, t.DelegationDepth, t.Chain = old.ID, old.Priority, old.DelegationDepth, old.Chain
	if pattern == parley.Mention {
		t.Cause = old.Cause
	}
	switch p := r.parent; {
	case kind == parley.SentMessage: // nothing comes back this time either
		t.Parent, t.Root = p.ID, cmp.Or(p.Root, t.ID)
	case p.ID != 0 && p.State.Open():
		putBelow(&t, *p)
		t.Callback = parley.CallbackResult
		p.OpenChildren++
		r.tx.UpdateProgress(p)
	}
	return t
}

// chargeBudget has the new task draw on the budget that the old one drew on: that
// of its parent, or of what mentioned it. A new root gets what the old one had;
// what a person has added since is theirs to give. One that goes on where the old one
// failed goes on with its budget: what was spent is spent.
func (r *retry) chargeBudget(t *parley.Task) error {
	old := r.old
	if t.Parent != 0 || old.Budget != 0 && (r.resumes() || old.Budget != old.ID) {
		t.Budget = old.Budget
		return r.countTask(old.Budget)
	}
	limit := r.s.dir.Limits(t.Agent).Budget
	if old.Budget != 0 && r.byPerson() {
		b, err := r.tx.Budget(old.Budget)
		if err != nil {
			return err
		}
		limit = b.Limit
	}
	endow(r.tx, t, limit)
	return nil
}

// countTask counts one more task. A person who retries knows that it is one more;
// anybody else needs room for it.
func (r *retry) countTask(root parley.TaskID) error {
	if root == 0 {
		return nil
	}
	a, err := budget.Open(r.tx, root, r.old.Team, parley.Budget{})
	if err == nil && !r.byPerson() {
		err = moreTasks(&a, r.old.ID, 1)
	}
	if err == nil {
		a.AddTask()
	}
	return err
}

// dependencies are what the old task waited for and is still open. The new one does
// without those that failed: whoever retries it wants that.
func (r *retry) dependencies() ([]parley.Task, error) {
	list, err := r.tx.Dependencies(r.old.ID)
	var open []parley.TaskID
	for _, on := range list {
		if on.State.Open() {
			open = append(open, on.ID)
		}
	}
	if err != nil || len(open) == 0 {
		return nil, err
	}
	locked, err := r.tx.LockTasks(open...)
	return slices.DeleteFunc(locked, func(on parley.Task) bool { return !on.State.Open() }), err
}

// store writes the request once more, with the task that it now asks for. What was
// posted in a channel is not posted again for a task that goes on.
func (r *retry) store(t *parley.Task, request parley.Message, target parley.Agent) error {
	if r.resumes() && t.Pattern == parley.Mention {
		r.insert(t, request.ID)
		return nil
	}
	m := parley.Message{Team: t.Team, Thread: t.Thread, Author: t.Requester, Kind: retryKind(request.Kind),
		Priority: t.Priority, Body: request.Body, Context: request.Context, Task: t.ID}
	if m.Kind == parley.PostMessage {
		m.Task, m.Priority = 0, 0
	}
	if err := r.tx.Post(&m, store.Recipient{ID: target.ID, Pulls: target.Pulls()}); err != nil {
		return err
	}
	if err := copyAttachment(r.tx, request.ID, m.ID); err != nil {
		return err
	}
	r.insert(t, m.ID)
	return nil
}

func (r *retry) insert(t *parley.Task, request parley.MessageID) {
	t.Request = request
	r.tx.InsertTask(t)
	r.tx.Record(parley.Event{Team: t.Team, Kind: parley.EventTask, Actor: r.caller.Agent, Target: t.Agent, Task: t.ID,
		Message: request, Detail: r.verb + " of " + t.RetryOf.String()})
}

// retryKind is how work is asked for again: as a delegation, whatever it was,
// unless nothing comes back.
func retryKind(of parley.MessageKind) parley.MessageKind {
	switch of {
	case parley.SentMessage, parley.ApprovalRequestMessage:
		return of
	case parley.PostMessage, parley.ReplyMessage: // in which it was mentioned
		return parley.PostMessage
	default:
		return parley.DelegateMessage
	}
}
