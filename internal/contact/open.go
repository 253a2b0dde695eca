package contact

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/policy"
	"parley/internal/store"
)

// open decides about a contact and stores all of it in one transaction. A
// contact that was made before under the same key is found, not made again.
// stored, if not nil, is called with the task before a worker that it is handed
// to begins.
func (s *Service) open(ctx context.Context, c access.Caller, r Request, p parley.Pattern, stored func(parley.Task)) (Contact, error) {
	target, err := s.check(c, &r)
	if err != nil {
		if parley.RuleOf(err) != "" { // else it is malformed, and nobody was refused anything
			s.access.RecordRefused(ctx, c, target.ID, err, access.RefusalText(r.verb(p), err))
		}
		return Contact{}, err
	}
	if p != parley.Notify {
		r.title = r.taskTitle() // here, since everybody waits for the transaction
	}
	var o opening
	beside := store.BesideOf(ctx)
	place, reserved := s.reserve(ctx, p, target.ID)
	update := ctx
	if p != parley.QuestionPattern { // it would run twice, and draw two of the short numbers
		update = store.Gathered(ctx)
	}
	err = s.store.Update(update, func(tx *store.Tx) error {
		o = opening{s: s, tx: tx, caller: c, request: r, pattern: p, beside: beside}
		return o.run(target.ID, place)
	})
	if err == nil && beside != nil {
		beside.Stored()
	}
	if err == nil && o.held != nil {
		err = s.held(ctx, o.held)
	}
	if err == nil && stored != nil {
		stored(o.task)
	}
	if reserved {
		if err == nil && o.handed {
			place.Start(o.handover)
		} else {
			place.Cancel()
		}
	}
	if err != nil {
		if !c.Waits(err) {
			s.access.RecordRefused(ctx, c, target.ID, err, o.refusal(err))
		}
		return Contact{}, err
	}
	return Contact{Target: target.Name, Message: o.message.ID, Task: o.task, Question: o.message.Question,
		Isolated: p == parley.Notify && target.Isolated, found: o.state.Before.ID != 0}, nil
}

func (s *Service) reserve(ctx context.Context, p parley.Pattern, target parley.AgentID) (Reservation, bool) {
	if s.handoff == nil || p == parley.Notify {
		return nil, false
	}
	return s.handoff.Reserve(ctx, target)
}

// verb is what the record calls a contact.
func (r Request) verb(p parley.Pattern) string {
	if r.sent {
		return "send"
	}
	return string(p)
}

// taskTitle is the title of the task that a request makes.
func (r Request) taskTitle() string {
	if r.title != "" {
		return r.title
	}
	return titleOf(r.Message)
}

// opening is one run of the transaction.
type opening struct {
	s       *Service
	tx      *store.Tx
	caller  access.Caller
	request Request
	pattern parley.Pattern
	beside  store.Beside // of the turn that contacts; may be nil

	state   store.ContactState
	dm      parley.Channel
	message parley.Message
	task    parley.Task
	account *budget.Account // of the tree, if it has a budget
	after   []*parley.Task  // open ones that the new task has to wait for

	question parley.Question // of a question
	asked    int             // how many were asked it

	held     *parley.NeedsApproval // stored instead of the contact
	refused  *policy.Ruling        // by the rules; nil if by something else, or not at all
	handed   bool                  // to the reserved place
	handover parley.Handover
}

func (o *opening) run(target parley.AgentID, place Reservation) error {
	if err := o.lock(target); err != nil {
		return err
	}
	err := o.make(place)
	// What is held is made later as a plain contact, which depends on nothing.
	if need, ok := parley.AsNeedsApproval(err); ok && o.caller.Token == 0 && o.request.after == nil && o.request.path == "" {
		return o.hold(need)
	}
	return err
}

// lock reads what the contact rests on, and locks it: the budget of the caller's
// tree first, then the rest.
func (o *opening) lock(target parley.AgentID) (err error) {
	if o.caller.Task != 0 && o.pattern != parley.Notify {
		if o.account, err = lockBudget(o.tx, o.caller); err != nil {
			return err
		}
	}
	return o.read(target)
}

func (o *opening) read(target parley.AgentID) (err error) {
	o.state, err = o.tx.ContactState(o.caller.Agent, target, o.caller.Task, o.request.Key)
	if err == nil && o.state.Before.ID == 0 {
		o.state.Before, err = o.caller.MadeBefore(o.tx, o.request.Key)
	}
	return access.NotFound(err, "%s", o.caller.Task)
}

// make decides, and stores what the pattern makes: a notification is a message
// alone, everything else a message with a task.
func (o *opening) make(place Reservation) error {
	if o.state.Before.ID != 0 {
		return o.again()
	}
	d, err := o.decide()
	if err != nil {
		return err
	}
	if len(o.request.after) > 0 {
		if err := o.checkDependencies(); err != nil {
			return err
		}
	}
	if err := o.storeBeside(); err != nil {
		return err
	}
	if d.Rate != o.state.Sender.Rate {
		o.tx.SetRate(o.caller.Agent, d.Rate)
	}
	if d.Wakes {
		if err := wakeAgent(o.tx, o.state.Target, o.caller.Agent); err != nil {
			return err
		}
	}
	thread, err := o.thread()
	if err != nil {
		return err
	}
	if o.request.answersLater || !o.caller.Outside() {
		o.tx.SkipSync()
	}
	if o.pattern == parley.Notify {
		if err := o.post(thread); err != nil {
			return err
		}
		o.record(parley.EventMessage)
		return nil
	}
	return o.makeTask(d, thread, place)
}

// makeTask stores the message with its task, and hands the task to a worker that
// is free.
func (o *opening) makeTask(d policy.Decision, thread parley.ThreadID, place Reservation) error {
	o.plan(d, thread)
	if place != nil && o.task.Due == 0 && o.task.State == parley.Queued && !o.state.Target.Gone() {
		place.Claim(o.tx, &o.task)
		o.handed = true
	}
	if o.pattern == parley.QuestionPattern && o.question.ID == 0 { // else it is asked of several, and this is not the first
		o.question = o.s.newQuestion(o.tx, o.caller, o.request)
		o.question.Target = o.state.Target.ID
	}
	if err := o.post(thread); err != nil {
		return err
	}
	o.task.Request = o.message.ID
	o.tx.InsertTask(&o.task)
	if o.task.Counted() {
		o.state.Task.OpenChildren++
		o.tx.UpdateProgress(&o.state.Task)
	}
	if len(o.after) > 0 || o.request.path != "" {
		o.storeDependencies()
	}
	if o.pattern == parley.QuestionPattern {
		o.storeQuestion()
	}
	o.record(parley.EventTask)
	if !o.handed {
		return nil
	}
	locked, err := o.tx.LockThread(thread) // it is locked: this finds it as it is now
	if err != nil {
		return err
	}
	o.handover = parley.Handover{Task: o.task, Request: o.message, Channel: o.dm, Thread: *locked, Mail: o.state.Mail, Quiet: o.tx.Quiet(&o.task)}
	return nil
}

// decide asks the rules, then the limits, then the budget.
func (o *opening) decide() (policy.Decision, error) {
	if !o.request.afterwards {
		if err := o.caller.CheckOwnTask(o.state.Task); err != nil {
			return policy.Decision{}, err
		}
	}
	if err := o.authorize(); err != nil {
		return policy.Decision{}, err
	}
	d, refusal := policy.Decide(policy.Contact{Now: o.tx.Now, Steady: o.tx.Steady, Pattern: o.pattern, Sender: o.state.Sender, Target: o.state.Target,
		Task: o.state.Task, Limits: o.s.dir.Limits(o.caller.Agent), Approved: o.caller.Approved || o.request.paid})
	if refusal != nil {
		return d, o.nameChain(refusal)
	}
	if o.pattern == parley.Ask && o.state.Target.Turns == 1 {
		if err := o.checkCycle(); err != nil {
			return d, err
		}
	}
	if o.request.Budget.Set() {
		if err := o.mayGiveBudget(); err != nil {
			return d, err
		}
	}
	if o.account == nil {
		return d, o.knowsBudget()
	}
	return d, moreTasks(o.account, o.caller.Task, 1)
}

// authorize asks the rules. They are looked at here and not before the
// transaction, so that a contact that was made before is found even if they
// have changed since.
func (o *opening) authorize() error {
	who, to := o.s.access.Party(o.state.Sender), o.s.access.Party(o.state.Target)
	ruling := policy.Authorize(&who, policy.Send(&to))
	err := o.caller.Judge(ruling, o.state.Target.ID)
	if err != nil {
		refused := ruling // a copy, so that an allowed contact does not pay for it
		o.refused = &refused
	}
	return err
}

// refusal is why a contact was refused, with the rule if it was one, for the
// record.
func (o *opening) refusal(err error) string {
	if o.refused == nil {
		return access.RefusalText(o.request.verb(o.pattern), err)
	}
	return o.request.verb(o.pattern) + ": " + o.refused.Explained(err)
}

// again finds what the same contact made before. The worker that it was
// handed to then has long taken it, or a claim will.
func (o *opening) again() error {
	o.message = o.state.Before
	if o.message.Task != 0 {
		var err error
		if o.task, err = o.tx.Task(o.message.Task); err != nil {
			return err
		}
	}
	same, err := o.same()
	if err != nil {
		return err
	}
	if !same {
		return errKeyUsed(o.request.Key)
	}
	return o.storeBeside()
}

// storeBeside stores what the turn that contacts has not stored yet.
func (o *opening) storeBeside() error {
	if o.beside == nil {
		return nil
	}
	return o.beside.Store(o.tx, &o.state.Task)
}

// same compares the contact that was made before with the one that is asked for
// now.
func (o *opening) same() (bool, error) {
	m := o.message
	if m.Kind != o.kind() {
		return false, nil
	}
	if said, err := says(o.tx, m, o.request.Message, o.request.Context); err != nil || !said {
		return false, err
	}
	if o.pattern == parley.Delegate && m.Priority != o.request.Priority {
		return false, nil
	}
	to, err := o.tx.Deliveries(m.ID)
	return len(to) == 1 && to[0].Recipient == o.state.Target.ID, err
}

// kind is what the message is in its conversation.
func (o *opening) kind() parley.MessageKind {
	switch o.pattern {
	case parley.Ask:
		return parley.AskMessage
	case parley.Delegate:
		if o.request.sent {
			return parley.SentMessage
		}
		return parley.DelegateMessage
	case parley.QuestionPattern:
		return parley.QuestionMessage
	default:
		return parley.NotificationMessage
	}
}

// thread picks the conversation.
func (o *opening) thread() (parley.ThreadID, error) {
	o.dm = o.state.DM
	if o.dm.ID == 0 {
		var err error
		if o.dm, err = o.tx.EnsureDM(o.caller.Team, o.caller.Agent, o.state.Target.ID); err != nil {
			return 0, err
		}
	}
	dm, choice := o.dm, o.request.Thread
	switch {
	case choice.New:
		return o.tx.InsertThread(dm).ID, nil
	case choice.Reuse && choice.ID != 0:
		t, err := o.tx.Thread(choice.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return 0, err
		}
		if t.ID == 0 || t.Channel != dm.ID {
			return 0, parley.Errorf(parley.NotFound, "%s is not a thread between you and %s.", choice.ID, o.state.Target.Name)
		}
		return t.ID, nil
	case choice.Reuse:
		t, err := o.tx.LatestThread(dm.ID)
		return t.ID, err
	default:
		return dm.Main, nil
	}
}

// plan makes the task, and counts it in the budget of its tree. A new tree gets
// its own.
func (o *opening) plan(d policy.Decision, thread parley.ThreadID) {
	limits := o.s.dir.Limits(o.caller.Agent)
	t := newTask(o.tx, order{pattern: o.pattern, requester: o.caller.Agent, agent: o.state.Target, thread: thread,
		title: o.request.taskTitle(), lifetime: limits.DelegationDeadline})
	putBelow(&t, o.state.Task)
	t.Priority, t.AskDepth, t.DelegationDepth = o.request.Priority, d.AskDepth, d.DelegationDepth
	if o.pattern == parley.Ask {
		t.WaitUntil = o.waitUntil(limits)
	}
	if t.Parent != 0 || o.pattern == parley.QuestionPattern {
		t.Callback = o.callback()
	}
	if len(o.after) > 0 {
		waitForDependencies(&t)
	}
	if o.account != nil {
		o.account.AddTask()
	}
	if limit := o.request.Budget.Over(o.s.dir.Limits(t.Agent).Budget); t.Parent == 0 && limit.Set() {
		endow(o.tx, &t, limit)
	}
	o.task = t
}

// callback is how the end of the task comes back.
func (o *opening) callback() parley.Callback {
	switch {
	case o.pattern == parley.QuestionPattern:
		return parley.CallbackAnswer
	case o.request.sent:
		return parley.CallbackNone
	case o.request.awaited:
		return parley.CallbackCall
	case o.pattern == parley.Delegate:
		return parley.CallbackResult
	case o.request.detached:
		return parley.CallbackLate
	default:
		return parley.CallbackReply
	}
}

// waitUntil gives an ask its time, never more than the asker itself has left
// to answer whoever waits for it.
func (o *opening) waitUntil(limits parley.Limits) parley.Micros {
	timeout := o.request.Timeout
	if timeout <= 0 {
		timeout = limits.AskTimeout
	}
	until := o.tx.Now.Add(timeout)
	if parent := o.state.Task; parent.Awaited(o.tx.Now) {
		until = min(until, parent.WaitUntil)
	}
	return until
}

// post stores the message and its delivery.
func (o *opening) post(thread parley.ThreadID) error {
	o.message = parley.Message{
		Team: o.caller.Team, Thread: thread, Author: o.caller.Agent, Body: o.request.Message, Context: o.request.Context,
		Task: o.task.ID, Origin: o.caller.Task, Key: o.request.Key, Kind: o.kind(), Question: o.question.ID,
	}
	if o.pattern == parley.Delegate {
		o.message.Priority = o.request.Priority
	}
	to := store.Recipient{ID: o.state.Target.ID, Pulls: o.state.Target.Pulls(), Delivered: o.handed}
	to.Mail = o.pattern == parley.Notify && !to.Pulls
	if o.request.Urgent && o.pattern == parley.Notify { // anything else begins a turn of its own
		to.About = store.AnyTask
	}
	if err := o.tx.Post(&o.message, to); err != nil {
		return err
	}
	if o.request.whole != "" {
		o.tx.InsertAttachment(o.message.ID, o.request.whole)
	}
	return nil
}

func (o *opening) record(kind parley.EventKind) {
	o.tx.Record(parley.Event{Team: o.caller.Team, Kind: kind, Actor: o.caller.Agent, Target: o.state.Target.ID,
		Task: o.task.ID, Message: o.message.ID, Detail: o.request.verb(o.pattern)})
}
