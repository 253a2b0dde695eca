package contact

import (
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/question"
	"parley/internal/store"
)

// inquiry is a question within a transaction that holds its lock and, before it,
// that of the task that asks. Whatever changes a question does so in this order:
// of two who answer, or of an answer and the clock, the first counts.
type inquiry struct {
	s      *Service
	tx     *store.Tx
	asking *parley.Task // zero if no task asks
	parley.Question
	routes []parley.Route
	tasks  []parley.Task // of those who have still to answer; only where they are locked
}

// lockInquiry locks a question with all tasks that may have to change with it,
// and the task that the caller acts for.
func (s *Service) lockInquiry(tx *store.Tx, c access.Caller, id parley.QuestionID) (*inquiry, error) {
	q, err := tx.Question(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && q.Team != c.Team {
		return nil, parley.ErrQuestionGone(id.String())
	}
	if err != nil {
		return nil, err
	}
	routes, err := tx.Routes(id)
	if err != nil {
		return nil, err
	}
	ids := []parley.TaskID{q.Task}
	if c.Token != 0 && c.Task != q.Task {
		ids = append(ids, c.Task)
	}
	for _, r := range routes {
		if r.State == parley.RouteAsked && !slices.Contains(ids, r.Task) {
			ids = append(ids, r.Task)
		}
	}
	tasks, err := tx.LockTasks(ids...)
	if err != nil {
		return nil, err
	}
	if c.Token != 0 {
		if err := c.HoldsLease(tasks[slices.Index(ids, c.Task)]); err != nil {
			return nil, err
		}
	}
	i, err := s.openInquiry(tx, id, &tasks[0])
	if err == nil {
		i.tasks = tasks[1:]
	}
	return i, err
}

// openInquiry locks a question whose asking task is locked.
func (s *Service) openInquiry(tx *store.Tx, id parley.QuestionID, asking *parley.Task) (*inquiry, error) {
	i := &inquiry{s: s, tx: tx, asking: asking}
	var err error
	if i.Question, err = tx.LockQuestion(id); err != nil {
		return nil, err
	}
	i.routes, err = tx.Routes(id)
	return i, err
}

// called names somebody for a text.
func (i *inquiry) called(id parley.AgentID) string {
	name, err := i.s.name(i.tx, id)
	if err != nil {
		return "somebody" // the transaction fails by itself
	}
	return name
}

// answer takes down what one of those who were asked says, and brings it to the
// asker. A question to one is closed with it.
func (i *inquiry) answer(r *parley.Route, m parley.Message) error {
	m.Team, m.Author, m.Kind, m.Task, m.Question = i.Team, r.Agent, parley.AnswerMessage, r.Task, i.ID
	m.Context = question.Gathered(question.Way(i.routes, r.Agent), i.called)
	if err := i.deliver(&m); err != nil {
		return err
	}
	r.State, r.Answer = parley.RouteAnswered, m.ID
	i.tx.UpdateRoute(r)
	if !i.All() {
		i.close(parley.QuestionAnswered)
	}
	i.tx.Record(parley.Event{Team: i.Team, Kind: parley.EventQuestionAnswered, Actor: r.Agent, Target: i.Asker, Task: r.Task, Message: m.ID,
		Detail: i.ID.String()})
	return nil
}

// fail takes down that one of those who were asked will not answer. If nobody is
// left who could, the asker is told at once.
func (i *inquiry) fail(r *parley.Route, reason string) error {
	r.State = parley.RouteFailed
	i.tx.UpdateRoute(r)
	if i.State != parley.QuestionOpen || !question.Hopeless(i.routes) {
		return nil
	}
	return i.end(parley.FailedQuestion(i.called(r.Agent), reason))
}

// end closes a question that nobody answered, and tells the asker.
func (i *inquiry) end(reason string) error {
	i.close(parley.QuestionExpired)
	i.tx.Record(parley.Event{Team: i.Team, Kind: parley.EventQuestionExpired, Target: i.Asker, Task: i.Task, Detail: i.ID.String()})
	return i.deliver(&parley.Message{Team: i.Team, Author: i.Asker, Kind: parley.UnansweredMessage, Question: i.ID, Body: reason,
		Context: question.Gathered(i.routes, i.called)})
}

func (i *inquiry) close(as parley.QuestionState) {
	i.State, i.ClosedAt = as, i.tx.Now
	i.tx.UpdateQuestion(&i.Question)
}

// deliver brings a message to the asker: into the task that asks while that is
// open, and else into a conversation of its own. A task that was cancelled or has
// failed wants no answers any more.
func (i *inquiry) deliver(m *parley.Message) error {
	f := finish{s: i.s, tx: i.tx, parent: i.asking}
	switch p := i.asking; {
	case !i.wanted():
		return nil
	case p.ID == 0 || !p.State.Open():
		return i.deliverAnew(f, m)
	default:
		m.Thread = p.Thread
		if err := f.post(m, p.Agent); err != nil {
			return err
		}
		i.tx.PutInbox(p, m.ID)
		return f.wakeParent()
	}
}

// wanted reports whether there is somebody to bring an answer to.
func (i *inquiry) wanted() bool {
	p := i.asking
	return p.ID == 0 || p.State.Open() || p.State == parley.Completed
}

// deliverAnew begins a task of the asker in the dm with the author. One that
// fetches its messages just gets the message.
func (i *inquiry) deliverAnew(f finish, m *parley.Message) error {
	asker, err := i.tx.Agent(i.Asker)
	if err != nil {
		return err
	}
	dm, err := i.tx.EnsureDM(i.Team, i.Asker, m.Author)
	if err != nil {
		return err
	}
	m.Thread = dm.Main
	if asker.Pulls() || asker.Removed {
		return f.post(m, i.Asker)
	}
	t := parley.Task{
		ID: i.tx.NewTaskID(), Team: i.Team, Cause: i.Task, Pattern: parley.Answer, Requester: m.Author, Agent: i.Asker, Thread: dm.Main,
		Title: parley.Clip(m.Body, 80), Priority: parley.Normal, State: parley.Queued, Budget: i.asking.Budget,
		DelegationDepth: i.asking.DelegationDepth + 1, Due: policy.Due(asker, parley.Answer, i.tx.Now),
	}
	t.Root, m.Task = t.ID, t.ID
	t.Deadline = max(i.tx.Now, t.Due).Add(i.s.dir.Limits(i.Asker).DelegationDeadline)
	if err := f.post(m, i.Asker); err != nil {
		return err
	}
	t.Request = m.ID
	i.tx.InsertTask(&t)
	i.tx.Record(parley.Event{Team: i.Team, Kind: parley.EventTask, Actor: m.Author, Target: i.Asker, Task: t.ID, Message: m.ID, Detail: string(parley.Answer)})
	return nil
}

// release ends what has not begun yet of a question that is closed: nobody waits
// for it. A turn that runs may come to its end.
func (i *inquiry) release() error {
	if i.State == parley.QuestionOpen {
		return nil
	}
	for n := range i.tasks {
		t := &i.tasks[n]
		if t.Callback != parley.CallbackAnswer || t.State != parley.Queued && t.State != parley.Waiting {
			continue
		}
		t.Error, t.Callback = i.ID.String()+" is closed.", parley.CallbackNone
		if err := cancel(i.tx, t, i.Asker); err != nil {
			return err
		}
		if err := i.s.cancelBelow(i.tx, t.ID, i.Asker); err != nil {
			return err
		}
	}
	return nil
}
