package turn

import (
	"context"
	"encoding/json"
	"slices"

	"parley"
	"parley/internal/step"
	"parley/internal/store"
	"parley/internal/tool"
)

// The contents of stored steps.
type (
	prompt      = step.Prompt
	replyStep   = step.Reply
	inboxStep   = step.Inbox
	started     = step.Started
	held        = step.Held
	result      = step.Result
	offloadStep = step.Away
	lost        = step.Lost
	content     = step.Content
)

// readStep is a stored step with the messages that it names.
type readStep struct {
	task    parley.TaskID
	turn, n int
	content content
	mail
}

// mail is what came for an agent: messages of its thread, what came back to its
// task, and unread mail of other conversations.
type mail struct {
	notices, inbox, unread []letter
	senders                []string // of unread mail that only they are shown of
}

// ids are the messages of the thread and those that came back.
func (m mail) ids() (list []parley.MessageID) {
	for _, part := range [][]letter{m.notices, m.inbox} {
		for i := range part {
			list = append(list, part[i].ID)
		}
	}
	return list
}

// decode reads a step. Its messages are left to the caller.
func decode(s parley.Step) (out readStep, err error) {
	out = readStep{task: s.Task, turn: s.Turn, n: s.N}
	out.content, err = step.Decode(s)
	return out, err
}

// draft is a step that is about to be stored.
type draft struct {
	content content
	// build, if there is no content, stores what the step is about and returns its
	// content.
	build func(tx *store.Tx, task *parley.Task) (content, error)
	// shown is what the result of a call shows; nil for every other step.
	shown *tool.Result
	spent parley.Spending
}

// is reports whether the step has this kind. What is yet to be built has none.
func (d draft) is(kind parley.StepKind) bool { return d.content != nil && d.content.Kind() == kind }

// encode writes the nth step after those that are stored.
func (r *run) encode(n int, d draft) (parley.Step, error) {
	b, err := json.Marshal(d.content)
	s := parley.Step{Task: r.lease.Task, Turn: r.turn, N: r.steps + n, Kind: d.content.Kind(), Content: b, Spent: d.spent}
	if s.Spent.Tokens() > 0 || s.Spent.Money > 0 {
		s.Model = r.agent.ModelName
	}
	switch c := d.content.(type) {
	case replyStep:
		s.Cached, s.Estimated = c.Usage.CacheRead, c.Usage.Estimated
	case lost:
		s.Cached, s.Estimated = c.Usage.CacheRead, c.Usage.Estimated
	}
	return s, err
}

// storeSteps stores steps in one transaction under the lease, after what is not stored
// yet, and then takes them into the transcript. Before the model is asked again, what
// has arrived for the task meanwhile becomes a step too.
func (r *run) storeSteps(ctx context.Context, drafts ...draft) error {
	var steps []parley.Step
	var came arrival
	err := r.update(ctx, func(tx *store.Tx) error {
		account, err := r.accountFor(tx, drafts)
		if err != nil {
			return err
		}
		working, err := r.lock(tx)
		if err != nil {
			return err
		}
		if came, err = r.arrive(tx, working, drafts); err != nil {
			return err
		}
		if !r.bounded() && onlyResults(drafts) {
			tx.SkipSync()
		}
		task, before := working.Task, working.Task
		fresh, err := r.takeUnread(tx, drafts)
		if err != nil {
			return err
		}
		if steps, err = r.build(tx, &task, fresh); err != nil {
			return err
		}
		if account != nil {
			account.Settle(task.ID, slices.Concat(r.unstored.steps, steps))
		}
		if err := r.unstored.write(tx, &task); err != nil {
			return err
		}
		r.markShown(tx, &task, drafts)
		if !came.empty() {
			arrived, err := r.encode(len(steps)+1, draft{content: came.step})
			if err != nil {
				return err
			}
			came.store(tx, &task)
			steps = append(steps, arrived)
		}
		for _, s := range steps {
			tx.InsertStep(s)
		}
		if task != before {
			tx.UpdateProgress(&task)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.start, r.unstored = nil, unstored{}
	return r.takeIn(steps, came)
}

// build completes the steps.
func (r *run) build(tx *store.Tx, task *parley.Task, drafts []draft) (steps []parley.Step, err error) {
	for i, d := range drafts {
		if d.build != nil {
			if d.content, err = d.build(tx, task); err != nil {
				return nil, err
			}
		}
		s, err := r.encode(i+1, d)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// takeIn takes what was stored into the transcript, in the form in which it would
// be read back.
func (r *run) takeIn(steps []parley.Step, came arrival) error {
	r.lookedTo = max(r.lookedTo, came.step.Place)
	for i := range steps {
		s, err := decode(steps[i])
		if err != nil {
			return err
		}
		if s.mail = r.begunWith; steps[i].Kind == parley.StepInbox {
			s.mail = came.mail
		}
		r.apply(s)
	}
	return nil
}

// markShown records what the turn began with, what a reply shows that its model
// has read, and what the result of a call shows.
func (r *run) markShown(tx *store.Tx, task *parley.Task, drafts []draft) {
	if r.start != nil {
		tx.StartTurn(task, r.start)
		tx.MarkSeen(task.Request, r.lease.Agent)
	}
	if replies(drafts) {
		tx.MarkShown(task, r.unshown.ids, r.unshown.place)
	}
	for _, d := range drafts {
		if d.shown == nil {
			continue
		}
		r.settleChanges(tx, d.content.(result).Error)
		for _, id := range d.shown.Seen {
			tx.MarkSeen(id, r.lease.Agent)
		}
		if d.shown.Read.Channel != 0 {
			tx.ReadGroup(d.shown.Read.Channel, r.lease.Agent, d.shown.Read.Upto)
		}
	}
}

// onlyResults reports whether all steps are results of calls. Losing them in a power failure is the
// same as losing power during the call: whatever has effects outside is on record before.
func onlyResults(drafts []draft) bool {
	return len(drafts) > 0 && !slices.ContainsFunc(drafts, func(d draft) bool { return !d.is(parley.StepResult) })
}

func replies(drafts []draft) bool { return len(drafts) > 0 && drafts[0].is(parley.StepReply) }

// fence makes sure that the lease still holds, and reads the thread that the task
// is worked on in.
func (r *run) fence(tx *store.Tx) (parley.Task, parley.Thread, error) {
	w, err := r.lock(tx)
	return w.Task, w.Thread, err
}

// lock is fence, and also finds out whether there is mail about the task.
func (r *run) lock(tx *store.Tx) (store.Working, error) {
	w, err := tx.LockWorking(r.lease.Task, r.lease.Agent, r.task.Thread)
	if task := w.Task; err == nil && !task.LeasedTo(r.lease.Token) {
		err = parley.ErrLost
	} else if err == nil && task.Budget != r.lease.Budget {
		err = &parley.BudgetGiven{Root: task.Budget}
	}
	return w, err
}
