package contact

import (
	"cmp"
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
	o := opening{s: s, caller: c, pattern: p, title: parley.Clip(cmp.Or(r.title, r.Message), 80)}
	target, err := s.check(c, &r)
	o.request = r
	if err != nil {
		if parley.RuleOf(err) != "" { // else it is malformed, and nobody was refused anything
			s.access.Refused(ctx, c, target.ID, err, access.RefusalText(o.verb(), err))
		}
		return Contact{}, err
	}
	place, reserved := s.reserve(p, target.ID)
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		o.tx, o.task, o.handed, o.refused, o.held, o.account, o.after = tx, parley.Task{}, false, nil, nil, nil, nil
		o.question, o.asked = parley.Question{}, 0
		if err := o.lockBudget(); err != nil {
			return err
		}
		return o.run(target.ID, place)
	})
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
			s.access.Refused(ctx, c, target.ID, err, o.refusal(err))
		}
		return Contact{}, err
	}
	return Contact{Target: target.Name, Message: o.message.ID, Task: o.task, Question: o.message.Question, found: o.state.Before.ID != 0}, nil
}

func (s *Service) reserve(p parley.Pattern, target parley.AgentID) (Reservation, bool) {
	if s.handoff == nil || p == parley.Notify {
		return nil, false
	}
	return s.handoff.Reserve(target)
}

// opening is one run of the transaction.
type opening struct {
	s       *Service
	tx      *store.Tx
	caller  access.Caller
	request Request
	pattern parley.Pattern
	title   string // of the task

	state   store.ContactState
	dm      parley.Channel
	message parley.Message
	task    parley.Task
	account *budget.Account // of the tree, if it has a budget
	after   []*parley.Task  // open ones that the new task has to wait for

	question parley.Question // of a question
	asked    int             // how many were asked it

	held     *parley.NeedsApproval // stored instead of the contact
	bad      error                 // why an approved request cannot be used
	refused  *policy.Ruling        // by the rules; nil if by something else, or not at all
	handed   bool                  // to the reserved place
	handover parley.Handover
}

func (o *opening) run(target parley.AgentID, place Reservation) error {
	if err := o.read(target); err != nil {
		return err
	}
	err := o.make(place)
	// What is held is made later as a plain contact, which depends on nothing.
	if need, ok := parley.AsNeedsApproval(err); ok && o.caller.Token == 0 && o.request.after == nil && o.request.path == "" {
		return o.hold(need)
	}
	return err
}

// read reads what the contact rests on, and locks it.
func (o *opening) read(target parley.AgentID) (err error) {
	o.state, err = o.tx.Contact(o.caller.Agent, target, o.caller.Task, o.request.Key)
	return access.NotFound(err, "%s", o.caller.Task)
}

func (o *opening) make(place Reservation) error {
	if o.state.Before.ID != 0 {
		return o.again()
	}
	d, err := o.decide()
	if err != nil {
		return err
	}
	if err := o.checkDependencies(); err != nil {
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
	if o.pattern != parley.Notify {
		o.plan(d, o.s.dir.Limits(o.caller.Agent), thread)
		o.planAfter()
		o.charge()
		o.hand(place)
	}
	if err := o.store(thread); err != nil || !o.handed {
		return err
	}
	return o.handOver()
}

// decide asks the rules, then the limits, then the budget.
func (o *opening) decide() (policy.Decision, error) {
	if err := o.caller.WorksOn(o.state.Task); err != nil {
		return policy.Decision{}, err
	}
	if err := o.authorize(); err != nil {
		return policy.Decision{}, err
	}
	d, refusal := policy.Decide(policy.Contact{Now: o.tx.Now, Pattern: o.pattern, Sender: o.state.Sender, Target: o.state.Target,
		Task: o.state.Task, Limits: o.s.dir.Limits(o.caller.Agent), Approved: o.caller.Approved || o.request.paid, Patient: o.request.patient})
	if refusal != nil {
		return d, refusal
	}
	if err := o.checkCycle(); err != nil {
		return d, err
	}
	return d, o.checkBudget()
}

// hand gives the task to a reserved place, if it can begin at once.
func (o *opening) hand(place Reservation) {
	if place != nil && o.task.Due == 0 && o.task.State == parley.Queued && !o.state.Target.Gone() {
		place.Claim(o.tx, &o.task)
		o.handed = true
	}
}

// handOver gathers what the first turn needs.
func (o *opening) handOver() error {
	thread, err := o.tx.LockThread(o.task.Thread) // it is locked: this finds it as it is now
	if err != nil {
		return err
	}
	o.handover = parley.Handover{Task: o.task, Request: o.message, Channel: o.dm, Thread: *thread}
	return nil
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
	return nil
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

// says reports whether a message says just this. Of one whose text was taken away
// nobody can tell any more: it counts as the same.
func says(tx *store.Tx, m parley.Message, body, context string) (bool, error) {
	if m.Body == body && m.Context == context {
		return true, nil
	}
	return tx.Redacted(m.ID)
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
	case parley.Query:
		return parley.QuestionMessage
	default:
		return parley.NotificationMessage
	}
}

// verb is what the record calls the contact.
func (o *opening) verb() string {
	if o.request.sent {
		return "send"
	}
	return string(o.pattern)
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
		return access.RefusalText(o.verb(), err)
	}
	return o.verb() + ": " + o.refused.Explained(err)
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

// plan fills in the task.
func (o *opening) plan(d policy.Decision, limits parley.Limits, thread parley.ThreadID) {
	parent := o.state.Task
	t := parley.Task{
		ID: o.tx.NewTaskID(), Team: o.caller.Team, Parent: parent.ID, Root: parent.Root, Pattern: o.pattern,
		Requester: o.caller.Agent, Agent: o.state.Target.ID, Thread: thread, Budget: parent.Budget,
		Title: o.title, Priority: o.request.Priority,
		State: parley.Queued, Due: d.Due, AskDepth: d.AskDepth, DelegationDepth: d.DelegationDepth,
		Deadline: max(o.tx.Now, d.Due).Add(limits.DelegationDeadline),
	}
	if t.Root == 0 {
		t.Root = t.ID
	}
	if o.pattern == parley.Ask {
		t.WaitUntil = o.waitUntil(limits)
	}
	if parent.ID != 0 || o.pattern == parley.Query {
		t.Callback = o.callback()
	}
	o.task = t
}

func (o *opening) callback() parley.Callback {
	switch {
	case o.pattern == parley.Query:
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

// store writes message, delivery, task and event.
func (o *opening) store(thread parley.ThreadID) error {
	o.phrase(o.state.Target.ID)
	m := parley.Message{
		Team: o.caller.Team, Thread: thread, Author: o.caller.Agent, Body: o.request.Message, Context: o.request.Context,
		Task: o.task.ID, Origin: o.caller.Task, Key: o.request.Key, Kind: o.kind(), Question: o.question.ID,
	}
	kind := parley.EventMessage
	if o.pattern != parley.Notify {
		kind = parley.EventTask
	}
	if o.pattern == parley.Delegate {
		m.Priority = o.request.Priority
	}
	to := store.Recipient{ID: o.state.Target.ID, Pulls: o.state.Target.Pulls(), Delivered: o.handed}
	if err := o.tx.Post(&m, to); err != nil {
		return err
	}
	o.message = m
	if o.pattern != parley.Notify {
		o.task.Request = m.ID
		o.tx.InsertTask(&o.task)
		o.storeAfter()
		if o.task.Counted() {
			o.state.Task.OpenChildren++
			o.tx.UpdateProgress(&o.state.Task)
		}
	}
	o.pose()
	o.tx.Record(parley.Event{Team: o.caller.Team, Kind: kind, Actor: o.caller.Agent, Target: o.state.Target.ID,
		Task: o.task.ID, Message: m.ID, Detail: o.verb()})
	return nil
}
