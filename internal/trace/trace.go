// Package trace shows a task tree as a sequence of arrows between its participants:
// who asked whom for what, and what came back. It is made from the stored tasks and
// messages, so it can be made at any time, even for a tree that is still at work.
package trace

import (
	"cmp"
	"slices"

	"parley"
	"parley/internal/store"
)

// Kind says what an arrow stands for.
type Kind string

const (
	Ask       Kind = "ask"
	Delegate  Kind = "delegate"
	Mention   Kind = "mention"   // in a channel; its task has its own tree
	Answer    Kind = "answer"    // to a question, given before the turn ended or with its own tree
	Retry     Kind = "retry"     // a delegation that names the task it repeats or resumes
	Notify    Kind = "notify"    // a notification sent meanwhile
	Reply     Kind = "reply"     // the end of an ask
	Result    Kind = "result"    // the end of a delegation, or an ask's late answer
	Failed    Kind = "failed"    // in place of a reply or result
	Cancelled Kind = "cancelled" // from the canceller to the worker
	Timeout   Kind = "timeout"   // the asker stopped waiting; the work went on
	Waiting   Kind = "waiting"   // the state of an open task
)

// Arrow is one line of the diagram.
type Arrow struct {
	At       parley.Micros
	From, To parley.AgentID
	Kind     Kind
	Label    string
	Task     parley.TaskID
	Message  parley.MessageID // that says it; 0 if none does
}

// labelRunes limits how much of a text an arrow quotes.
const labelRunes = 120

// Arrows makes the diagram of a tree, given as its tasks with parents before
// children.
//
// Arrows are ordered by time. What happened in one transaction has the same time and
// is ordered by cause: a request comes before what was done for it, that comes before
// the end, and the end of a task comes before the cancellations that follow from it.
func Arrows(tx *store.Tx, tasks []parley.Task) ([]Arrow, error) {
	d := diagram{tx: tx, children: map[parley.TaskID][]parley.Task{}, cancelled: map[parley.TaskID]bool{}}
	for _, t := range tasks {
		d.children[t.Parent] = append(d.children[t.Parent], t)
	}
	if len(tasks) > 0 {
		if err := d.task(tasks[0]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(d.arrows, func(a, b Arrow) int { return cmp.Compare(a.At, b.At) })
	return append(d.arrows, d.open...), nil
}

// diagram collects the arrows of one tree, depth first.
type diagram struct {
	tx       *store.Tx
	children map[parley.TaskID][]parley.Task
	arrows   []Arrow
	open     []Arrow // states of open tasks, after everything that happened
	// cancelled are the tasks that were cancelled because of a task above them; their
	// arrows come after that task's.
	cancelled map[parley.TaskID]bool
}

func (d *diagram) task(t parley.Task) error {
	d.request(t)
	if err := d.below(t); err != nil {
		return err
	}
	d.timeout(t)
	if d.cancelled[t.ID] {
		return nil
	}
	return d.end(t)
}

func (d *diagram) add(a Arrow) { d.arrows = append(d.arrows, a) }

func (d *diagram) request(t parley.Task) {
	kind, label := Kind(t.Pattern), t.Title
	if t.RetryOf != 0 {
		kind, label = Retry, t.RetryOf.String()+" again: "+t.Title
	}
	if t.Resumes != 0 {
		label = t.Resumes.String() + " goes on: " + t.Title
	}
	d.add(Arrow{At: t.CreatedAt, From: t.Requester, To: t.Agent, Kind: kind, Label: label, Task: t.ID, Message: t.Request})
}

// below adds what the turns of a task did for others: subtasks, notifications and
// answers, in the order of their messages.
func (d *diagram) below(t parley.Task) error {
	sent, err := d.tx.MessagesFrom(t.ID)
	if err != nil {
		return err
	}
	children := d.children[t.ID]
	d.markFollowing(t, children)
	for _, child := range children {
		for len(sent) > 0 && sent[0].ID < child.Request {
			if err := d.notification(sent[0], t.ID); err != nil {
				return err
			}
			sent = sent[1:]
		}
		if err := d.task(child); err != nil {
			return err
		}
	}
	for _, m := range sent {
		if err := d.notification(m, t.ID); err != nil {
			return err
		}
	}
	return d.caused(t)
}

// caused adds one arrow for each tree that a task caused: by mentions in channels,
// and by answers to its questions that came after its end.
func (d *diagram) caused(t parley.Task) error {
	list, err := d.tx.CausedBy(t.ID)
	for _, c := range list {
		a := Arrow{At: c.CreatedAt, From: t.Agent, To: c.Agent, Kind: Mention, Label: c.ID.String() + ": " + c.Title, Task: t.ID, Message: c.Request}
		if c.Pattern == parley.AnswerPattern {
			a.From, a.Kind = c.Requester, Answer
		}
		d.add(a)
	}
	return err
}

// markFollowing finds the cancellations that are part of the end of t.
func (d *diagram) markFollowing(t parley.Task, children []parley.Task) {
	if t.State != parley.TaskFailed && t.State != parley.Cancelled {
		return
	}
	for _, child := range children {
		if child.State == parley.Cancelled && child.EndedAt == t.EndedAt {
			d.cancelled[child.ID] = true
		}
	}
}

func (d *diagram) notification(m parley.Message, from parley.TaskID) error {
	kind := Notify
	switch {
	case m.Kind == parley.AnswerMessage && m.Task == from: // an answer with its own tree has that tree's task
		kind = Answer
	case m.Kind != parley.NotificationMessage:
		return nil
	}
	to, err := d.tx.Deliveries(m.ID)
	for _, one := range to {
		d.add(Arrow{At: m.At, From: m.Author, To: one.Recipient, Kind: kind, Label: parley.Clip(m.Body, labelRunes), Task: from, Message: m.ID})
	}
	return err
}
