package contact

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/internal/budget"
	"parley/internal/store"
	"parley/internal/wake"
)

// EndTurn stores the end of a turn: its last steps, its closing text, and the
// task's next state, with everything that follows for the one who asked.
func (s *Service) EndTurn(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error) {
	var out parley.Outcome
	err := s.store.Update(store.Gathered(ctx), func(tx *store.Tx) error {
		account, err := s.account(tx, e.Lease)
		if err != nil {
			return err
		}
		f := finish{s: s, tx: tx, account: account}
		if err := f.lockMentions(e.Lease.Team, e.Lease.Agent, e.Lease.Task, e.Lease.Mention, e.Text); err != nil {
			return err
		}
		parent, t, err := lockForEnd(tx, e)
		if err != nil {
			return err
		}
		if t.State == parley.Cancelled {
			out = parley.TurnDropped
			tx.Record(parley.Event{Team: t.Team, Kind: parley.EventDropped, Actor: t.Agent, Task: t.ID, Detail: parley.Clip(e.Text, parley.QuotedRunes)})
			return nil
		}
		if !t.LeasedTo(e.Lease.Token) {
			return parley.ErrLost
		}
		if t.Budget != e.Lease.Budget {
			return &parley.BudgetGiven{Root: t.Budget}
		}
		f.task, f.parent = t, parent
		if e.Start != nil {
			tx.StartTurn(t, e.Start)
		}
		tx.MarkShown(t, e.Seen, e.ReadTo)
		for _, step := range e.Steps {
			tx.InsertStep(step)
		}
		if account != nil {
			account.Close(e)
		}
		t.InboxRead = e.InboxRead
		if e.Reason != "" {
			out, err = parley.TaskEnded, f.fail(e.Reason)
		} else {
			out, err = f.close(e.Text)
		}
		if f.staysInside(out) {
			tx.SkipSync()
		}
		if e.Start != nil && e.Start.Request && t.State != parley.Completed {
			tx.MarkSeen(t.Request, t.Agent) // completing it has marked it as answered
		}
		return err
	})
	return out, err
}

// staysInside reports whether nobody but the turn that asked is told of this end, and no budget
// counts what was spent.
func (f *finish) staysInside(out parley.Outcome) bool {
	return out == parley.TaskEnded && f.task.Callback == parley.CallbackReply && f.account == nil && f.s.dir.Native(f.task.Requester)
}

// lockForEnd locks the task and its parent, and with a closing text the threads
// that it is posted to. A task that fails takes its subtree with it, and the locks
// of tasks come before those of threads.
func lockForEnd(tx *store.Tx, e parley.TurnEnd) (parent, task *parley.Task, err error) {
	if e.Reason == "" {
		return tx.LockEnding(e.Lease.Parent, e.Lease.Task)
	}
	tasks, err := tx.LockTasks(e.Lease.Parent, e.Lease.Task)
	if err != nil {
		return nil, nil, err
	}
	return &tasks[0], &tasks[1], nil
}

// finish is the end of a turn or a task, within a transaction that holds the locks
// of the parent, if there is one, and of the task.
type finish struct {
	s      *Service
	tx     *store.Tx
	task   *parley.Task
	parent *parley.Task
	// account is what the task spends from; nil if nothing bounds it.
	account *budget.Account
	// author and chain are locked before the task, if its closing text mentions
	// somebody; zero otherwise.
	author parley.Agent
	chain  parley.Task
	said   string // the closing text, as posted in this transaction
	last   bool   // the task ends with it
}

// close ends a turn with its closing text. A result may have come in while the
// turn ran, so what was read is compared with what is there now.
func (f *finish) close(text string) (parley.Outcome, error) {
	t := f.task
	f.last = t.InboxCount <= t.InboxRead && t.OpenChildren == 0
	if err := f.say(text); err != nil {
		return 0, err
	}
	switch {
	case t.InboxCount > t.InboxRead:
		f.tx.UpdateProgress(t)
		return parley.TurnAgain, nil
	case t.OpenChildren > 0:
		t.State, t.Worker = parley.Waiting, 0
		f.tx.UpdateTask(t)
		f.record(parley.EventWaiting, fmt.Sprintf("%d open", t.OpenChildren))
		return parley.TaskParked, nil
	default:
		return parley.TaskEnded, f.complete()
	}
}

// say posts the closing text of a turn in the task's conversation.
func (f *finish) say(text string) error {
	text = clean(text)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	t := f.task
	m := parley.Message{Team: t.Team, Thread: t.Thread, Author: t.Agent, Kind: parley.ReplyMessage, Body: text, Task: t.ID}
	switch t.Pattern {
	case parley.Mention:
		return f.sayInChannel(m)
	case parley.QuestionPattern:
		if direct, err := f.answersInDM(); direct || err != nil {
			f.said = text
			return err
		}
		return f.sayBeside(m) // the asker reads the answer, and that once
	case parley.AnswerPattern:
		if pulls, err := f.s.pulls(f.tx, t.Requester); !pulls || err != nil {
			if err == nil {
				err = f.sayBeside(m) // whoever answered asked nothing, and may be at work here
			}
			return err
		}
	}
	if t.Pushed() && f.parent.State.Open() && f.s.isClient(t.Requester) {
		return f.sayBeside(m) // it fetches the result, and that once
	}
	post := func() error { return f.s.post(f.tx, &m, t.Requester) }
	if f.last && f.endsUnawaited() {
		post = func() error { return f.s.postMail(f.tx, &m, t.Requester) }
	}
	if err := post(); err != nil {
		return err
	}
	t.Result, f.said = m.ID, m.Body
	return nil
}

// endsUnawaited reports whether no task takes the end of this one, though an agent
// asked for it: what it says is then mail. It came late, or was retried.
func (f *finish) endsUnawaited() bool {
	t := f.task
	switch {
	case t.Pattern != parley.Ask && t.Pattern != parley.Delegate, t.Callback == parley.CallbackReply:
		return false
	case t.Callback == parley.CallbackNone:
		return t.Parent == 0 && t.RetryOf != 0
	default:
		return !f.parent.State.Open()
	}
}

// sayBeside posts the closing text of a turn for the conversation alone: it is in no
// inbox, and no running turn takes it in.
func (f *finish) sayBeside(m parley.Message) error {
	if err := f.s.post(f.tx, &m, 0, store.Recipient{ID: f.task.Requester}); err != nil {
		return err
	}
	f.task.Result, f.said = m.ID, m.Body
	return nil
}

// sayInChannel posts the closing text of a turn that a mention started. It may
// mention others in turn.
func (f *finish) sayInChannel(m parley.Message) error {
	mentions, err := f.mentions(m.Body)
	if err != nil {
		return err
	}
	others, err := mentions.recipients()
	if err != nil {
		return err
	}
	if err := f.s.post(f.tx, &m, f.task.Requester, others...); err != nil {
		return err
	}
	if mentions.channel.Kind == parley.Group {
		f.tx.ReadOwn(mentions.channel.ID, m)
	}
	mentions.open(m)
	f.task.Result, f.said = m.ID, m.Body
	return mentions.tell()
}

func (f *finish) complete() error {
	f.markCompleted()
	return f.callBack(parley.ResultMessage)
}

// markCompleted ends the task with what it has said, and tells nobody.
func (f *finish) markCompleted() {
	f.end(parley.Completed)
	f.tx.MarkAnswered(f.task.Request, f.task.Agent)
	f.record(parley.EventCompleted, "")
}

// fail ends the task without a result. Its open subtree is cancelled: nobody
// is left to use what it would bring.
func (f *finish) fail(reason string) error {
	f.task.Error = clean(parley.FailureReason(reason))
	if err := withdraw(f.tx, f.task, f.task.Agent); err != nil {
		return err
	}
	f.end(parley.TaskFailed)
	f.record(parley.EventFailed, parley.Clip(f.task.Error, parley.QuotedRunes))
	if err := f.s.cancelBelow(f.tx, f.task.ID, f.task.Agent); err != nil {
		return err
	}
	return f.callBack(parley.FailureMessage)
}

func (f *finish) end(state parley.State) {
	t := f.task
	t.State, t.Worker, t.Waits, t.EndedAt = state, 0, parley.WaitNone, f.tx.Now
	f.tx.UpdateTask(t)
}

// callBack tells whoever asked for the task how it ended.
func (f *finish) callBack(kind parley.MessageKind) error {
	t, p := f.task, f.parent
	switch {
	case t.Callback == parley.CallbackAnswer:
		return f.answerQuestion(kind)
	case t.Pattern == parley.AnswerPattern:
		return nil // it was told something, and asked nothing
	case t.Callback == parley.CallbackNone && t.Parent != 0:
		return f.tellSender(kind)
	case t.Callback == parley.CallbackReply:
		return nil // the asker waits for the end itself
	case p.State.Open() && t.Callback == parley.CallbackLate:
		return f.push(kind)
	case p.State.Open() && t.Callback == parley.CallbackResult:
		p.OpenChildren--
		return f.push(kind)
	case p.State.Open() && t.Callback == parley.CallbackCall:
		p.OpenChildren--
		return wakeTask(f.tx, p)
	}
	unawaited := f.endsUnawaited()
	if t.Callback != parley.CallbackNone {
		t.Callback = parley.CallbackNone
		f.tx.UpdateTask(t)
	}
	if kind == parley.ResultMessage {
		return nil // the reply is in the dm already
	}
	// Nobody's task takes the failure, so the conversation does.
	m, err := f.outcome(kind, t.Thread)
	if err != nil {
		return err
	}
	if unawaited {
		return f.s.postMail(f.tx, &m, t.Requester)
	}
	return f.s.post(f.tx, &m, t.Requester)
}

// tellSender posts what came of a sent message where its sender finds it. The
// sender has no turns in the message's own thread, so it goes to the dm's main
// thread too. It wakes nobody.
func (f *finish) tellSender(kind parley.MessageKind) error {
	t := f.task
	if kind == parley.ResultMessage && t.Result == 0 {
		return nil // nothing was said
	}
	dm, err := f.tx.DM(t.Requester, t.Agent)
	if err != nil {
		return err
	}
	m, err := f.outcome(kind, dm.Main)
	if err != nil {
		return err
	}
	return f.s.postMail(f.tx, &m, t.Requester)
}

// push posts the result where the parent works, puts it into its inbox and
// wakes it if it waits.
func (f *finish) push(kind parley.MessageKind) error {
	p := f.parent
	m, err := f.outcome(kind, p.Thread)
	if err != nil {
		return err
	}
	if err := f.s.post(f.tx, &m, p.Agent); err != nil {
		return err
	}
	f.tx.PutInbox(p, m.ID)
	return wakeTask(f.tx, p)
}

// outcome is the message that says how the task ended.
func (f *finish) outcome(kind parley.MessageKind, thread parley.ThreadID) (m parley.Message, err error) {
	t := f.task
	m = parley.Message{Team: t.Team, Thread: thread, Author: t.Agent, Kind: kind, Body: t.Error, Task: t.ID}
	if kind == parley.ResultMessage {
		m.Body, err = f.resultText()
	}
	return m, err
}

func (f *finish) resultText() (string, error) {
	switch {
	case f.said != "":
		return f.said, nil
	case f.task.Result == 0:
		return "(no text)", nil
	}
	m, err := f.tx.Message(f.task.Result)
	return m.Body, err
}

func (f *finish) record(kind parley.EventKind, detail string) {
	t := f.task
	f.tx.Record(parley.Event{Team: t.Team, Kind: kind, Actor: t.Agent, Target: t.Requester, Task: t.ID, Message: t.Result, Detail: detail})
}

// Fail ends a task that the hub itself gives up: its deadline has passed, or
// it brought down too many workers.
func (s *Service) Fail(ctx context.Context, id parley.TaskID, reason string) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err != nil {
			return err
		}
		return s.failOpen(tx, t.Parent, id, reason)
	})
}

// failOpen fails a task unless it has ended.
func (s *Service) failOpen(tx *store.Tx, parent, id parley.TaskID, reason string) error {
	tasks, err := tx.LockTasks(parent, id)
	if err != nil {
		return err
	}
	f := finish{s: s, tx: tx, task: &tasks[1], parent: &tasks[0]}
	if !f.task.State.Open() {
		return nil
	}
	if f.task.State == parley.Running {
		tx.Signal(wake.Cancelled, int64(id))
	}
	if err := f.fail(reason); err != nil {
		return err
	}
	return s.tellHolders(tx, []parley.Task{*f.task})
}
