package turn

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// The contents of stored steps. Their form stays: turns go on from what earlier
// versions have stored.
type (
	prompt struct {
		// Inbox is how far the task's inbox had been read.
		Inbox int `json:"inbox,omitempty"`
		// Notices are messages from outside the history that the agent had not
		// seen.
		Notices []parley.MessageID `json:"notices,omitempty"`
		// Relevant is what a question was shown with.
		Relevant string `json:"relevant,omitempty"`
		// Open is how many delegated subtasks had not ended.
		Open int `json:"open,omitempty"`
		// Unseen is how many messages of a group, before the history, the agent had
		// not seen.
		Unseen int `json:"unseen,omitempty"`
		// Kept is what earlier tasks in the thread have put away: it is not shown, and
		// its keepers are named.
		Kept *offloadStep `json:"kept,omitempty"`
		// Unread is the mail that was shown before the request; nil if there was none.
		Unread *unread `json:"unread,omitempty"`
	}
	replyStep struct {
		// Prompt is what the turn began with, in a first reply that came at once.
		Prompt *prompt `json:"prompt,omitempty"`
		model.Reply
	}
	// inboxStep is what arrived between two steps.
	inboxStep struct {
		// Upto is how far the task's inbox was read.
		Upto int `json:"upto"`
		// Notices are messages of the thread.
		Notices []parley.MessageID `json:"notices,omitempty"`
		// Place is how far the thread was looked at for them.
		Place int `json:"place,omitempty"`
		// Mail is from other conversations, about what the task works on.
		Mail []parley.MessageID `json:"mail,omitempty"`
		// Unread is the same in a group, where only its senders are shown; nil if
		// there is none.
		Unread *unread `json:"unread,omitempty"`
	}
	started struct {
		Call string `json:"call"`
	}
	held struct {
		Call     string            `json:"call"`
		Approval parley.ApprovalID `json:"approval"`
		Text     string            `json:"text"`
		// Round says that it is about more rounds, and for people only.
		Round bool `json:"round,omitempty"`
	}
	result struct {
		Call  string `json:"call"`
		Text  string `json:"text"`
		Error bool   `json:"error,omitempty"`
		// Rate says that the call was refused by the agent's rate.
		Rate bool `json:"rate,omitempty"`
	}
	// lost is what model calls have consumed that came to nothing.
	lost struct {
		Usage model.Usage `json:"usage"`
	}
)

// content is what a step says.
type content interface{ kind() parley.StepKind }

func (prompt) kind() parley.StepKind      { return parley.StepPrompt }
func (replyStep) kind() parley.StepKind   { return parley.StepReply }
func (inboxStep) kind() parley.StepKind   { return parley.StepInbox }
func (started) kind() parley.StepKind     { return parley.StepCall }
func (held) kind() parley.StepKind        { return parley.StepHeld }
func (result) kind() parley.StepKind      { return parley.StepResult }
func (lost) kind() parley.StepKind        { return parley.StepLost }
func (offloadStep) kind() parley.StepKind { return parley.StepOffload }

// step is a stored step, read, with the messages that it names.
type step struct {
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
func decode(s parley.Step) (out step, err error) {
	out = step{task: s.Task, turn: s.Turn, n: s.N}
	switch s.Kind {
	case parley.StepPrompt:
		out.content, err = contentOf[prompt](s)
	case parley.StepReply:
		out.content, err = contentOf[replyStep](s)
	case parley.StepInbox:
		out.content, err = contentOf[inboxStep](s)
	case parley.StepCall:
		out.content, err = contentOf[started](s)
	case parley.StepHeld:
		out.content, err = contentOf[held](s)
	case parley.StepResult:
		out.content, err = contentOf[result](s)
	case parley.StepOffload:
		out.content, err = contentOf[offloadStep](s)
	case parley.StepLost:
		out.content, err = contentOf[lost](s)
	default:
		err = fmt.Errorf("unknown kind %q", s.Kind)
	}
	if err != nil {
		return out, fmt.Errorf("step %d/%d of %s: %w", s.Turn, s.N, s.Task, err)
	}
	return out, nil
}

func contentOf[T content](s parley.Step) (c T, err error) {
	err = json.Unmarshal(s.Content, &c)
	return c, err
}

// draft is a step that is about to be stored.
type draft struct {
	content content
	// build, if there is no content, stores what the step is about and returns its
	// content.
	build func(tx *store.Tx, task *parley.Task) (content, error)
	spent parley.Spending
}

// is reports whether the step has this kind. What is yet to be built has none.
func (d draft) is(kind parley.StepKind) bool { return d.content != nil && d.content.kind() == kind }

// encode writes the nth step after those that are stored.
func (r *run) encode(n int, d draft) (parley.Step, error) {
	b, err := json.Marshal(d.content)
	s := parley.Step{Task: r.lease.Task, Turn: r.turn, N: r.steps + n, Kind: d.content.kind(), Content: b, Spent: d.spent}
	if s.Spent.Tokens() > 0 || s.Spent.Money > 0 {
		s.Model = r.agent.ModelName
	}
	if reply, ok := d.content.(replyStep); ok {
		s.Cached, s.Estimated = reply.Usage.CacheRead, reply.Usage.Estimated
	}
	return s, err
}

// storeSteps stores steps in one transaction under the lease and then takes them
// into the transcript. Before the model is asked again, what has arrived for the
// task meanwhile becomes a step too. shown is what the result of a call shows.
func (r *run) storeSteps(ctx context.Context, shown *tool.Result, drafts ...draft) error {
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
		task, before := working.Task, working.Task
		fresh, err := r.takeUnread(tx, drafts)
		if err != nil {
			return err
		}
		if steps, err = r.build(tx, &task, fresh); err != nil {
			return err
		}
		if account != nil {
			account.Settle(task.ID, steps)
		}
		r.markShown(tx, &task, shown, drafts)
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
	r.start = nil
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
func (r *run) markShown(tx *store.Tx, task *parley.Task, shown *tool.Result, drafts []draft) {
	if r.start != nil {
		tx.StartTurn(task, r.start)
		tx.MarkSeen(task.Request, r.lease.Agent)
	}
	if replies(drafts) {
		tx.MarkShown(task, r.unshown.ids, r.unshown.place)
	}
	if shown == nil {
		return
	}
	for _, id := range shown.Seen {
		tx.MarkSeen(id, r.lease.Agent)
	}
	if shown.Read.Channel != 0 {
		tx.ReadGroup(shown.Read.Channel, r.lease.Agent, shown.Read.Upto)
	}
}

func replies(drafts []draft) bool { return drafts[0].is(parley.StepReply) }

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
