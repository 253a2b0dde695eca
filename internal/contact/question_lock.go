package contact

import (
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/question"
	"parley/internal/store"
)

// lockedQuestion is a question in a transaction that holds its lock and, taken
// before it, that of the task that asks. Everything that changes a question locks
// in this order: of two answers, or an answer and the clock, the first counts.
type lockedQuestion struct {
	s      *Service
	tx     *store.Tx
	asking *parley.Task // zero if no task asks
	parley.Question
	routes []parley.Route
	tasks  []parley.Task // of those who have still to answer; only where they are locked
}

// lockQuestion locks a question with all tasks that may have to change with it,
// and the task that the caller acts for.
func (s *Service) lockQuestion(tx *store.Tx, c access.Caller, id parley.QuestionID) (*lockedQuestion, error) {
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
		if err := c.CheckLease(tasks[slices.Index(ids, c.Task)]); err != nil {
			return nil, err
		}
	}
	locked, err := s.openQuestion(tx, id, &tasks[0])
	if err == nil {
		locked.tasks = tasks[1:]
	}
	return locked, err
}

// openQuestion locks a question whose asking task is locked.
func (s *Service) openQuestion(tx *store.Tx, id parley.QuestionID, asking *parley.Task) (*lockedQuestion, error) {
	q := &lockedQuestion{s: s, tx: tx, asking: asking}
	var err error
	if q.Question, err = tx.LockQuestion(id); err != nil {
		return nil, err
	}
	q.routes, err = tx.Routes(id)
	return q, err
}

// nameOf names somebody for a text.
func (q *lockedQuestion) nameOf(id parley.AgentID) string {
	name, err := q.s.name(q.tx, id)
	if err != nil {
		return "somebody" // the transaction fails by itself
	}
	return name
}

// answer stores the answer of one who was asked, and delivers it to the asker. It
// closes a question to one agent, and keeps one to all from being asked of others.
func (q *lockedQuestion) answer(r *parley.Route, m parley.Message) error {
	m.Team, m.Author, m.Kind, m.Task, m.Question = q.Team, r.Agent, parley.AnswerMessage, r.Task, q.ID
	m.Context = question.Enrichments(question.RoutesTo(q.routes, r.Agent), q.nameOf)
	if err := q.deliver(&m); err != nil {
		return err
	}
	r.State, r.Answer = parley.RouteAnswered, m.ID
	q.tx.UpdateRoute(r)
	q.tx.Record(parley.Event{Team: q.Team, Kind: parley.EventQuestionAnswered, Actor: r.Agent, Target: q.Asker, Task: r.Task, Message: m.ID,
		Detail: q.ID.String()})
	switch {
	case !q.All():
		q.close(parley.QuestionAnswered)
	case q.MoreToAsk():
		q.NextAt = q.ExpiresAt // the others need not be asked
		q.tx.UpdateQuestion(&q.Question)
	}
	return q.settle("")
}

// fail notes that one who was asked will not answer.
func (q *lockedQuestion) fail(r *parley.Route, reason string) error {
	r.State = parley.RouteFailed
	q.tx.UpdateRoute(r)
	return q.settle(parley.FailedQuestion(q.nameOf(r.Agent), reason))
}

// deliver gives a message to the asker: to the task that asks while it is open,
// else as a task of its own. A task that failed or was cancelled wants no answers.
func (q *lockedQuestion) deliver(m *parley.Message) error {
	switch p := q.asking; {
	case !q.wanted():
		return nil
	case p.ID == 0 || !p.State.Open():
		return q.deliverAnew(m)
	default:
		m.Thread = p.Thread
		if err := q.s.post(q.tx, m, p.Agent); err != nil {
			return err
		}
		q.tx.PutInbox(p, m.ID)
		return wakeTask(q.tx, p)
	}
}

// wanted reports whether there is somebody to bring an answer to.
func (q *lockedQuestion) wanted() bool {
	p := q.asking
	return p.ID == 0 || p.State.Open() || p.State == parley.Completed
}

// deliverAnew begins a task of the asker in the dm with the author. One that
// fetches its messages just gets the message.
func (q *lockedQuestion) deliverAnew(m *parley.Message) error {
	asker, err := q.tx.Agent(q.Asker)
	if err != nil {
		return err
	}
	dm, err := q.tx.EnsureDM(q.Team, q.Asker, m.Author)
	if err != nil {
		return err
	}
	m.Thread = dm.Main
	if asker.Pulls() || asker.Removed {
		return q.s.post(q.tx, m, q.Asker)
	}
	t := newTask(q.tx, order{pattern: parley.AnswerPattern, requester: m.Author, agent: asker, thread: dm.Main, title: titleOf(m.Body),
		lifetime: q.s.dir.Limits(q.Asker).DelegationDeadline})
	t.Cause, t.Budget, t.DelegationDepth = q.Task, q.asking.Budget, q.asking.DelegationDepth+1
	if q.asking.ID != 0 {
		t.Chain = q.asking.Chain
	}
	m.Task = t.ID
	if err := q.s.post(q.tx, m, q.Asker); err != nil {
		return err
	}
	t.Request = m.ID
	q.tx.InsertTask(&t)
	q.tx.Record(parley.Event{Team: q.Team, Kind: parley.EventTask, Actor: m.Author, Target: q.Asker, Task: t.ID, Message: m.ID, Detail: string(parley.AnswerPattern)})
	return nil
}

// release cancels the tasks of a closed question that have not begun: nobody waits
// for them. A turn that runs may come to its end.
func (q *lockedQuestion) release() error {
	if q.State == parley.QuestionOpen {
		return nil
	}
	for n := range q.tasks {
		t := &q.tasks[n]
		if t.Callback != parley.CallbackAnswer || t.State != parley.Queued && t.State != parley.Waiting {
			continue
		}
		t.Error, t.Callback = q.ID.String()+" is closed.", parley.CallbackNone
		if err := cancel(q.tx, t, q.Asker); err != nil {
			return err
		}
		if err := q.s.cancelBelow(q.tx, t.ID, q.Asker); err != nil {
			return err
		}
	}
	return nil
}
