package turn

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley"
	"parley/internal/store"
)

// replay takes the stored steps in their order.
func (t *run) replay(tx *store.Tx, steps []parley.Step) error {
	for _, s := range steps {
		if err := t.replayStep(tx, s); err != nil {
			return fmt.Errorf("step %d/%d of %s: %w", s.Turn, s.N, s.Task, err)
		}
	}
	return nil
}

func (t *run) replayStep(tx *store.Tx, s parley.Step) error {
	t.number, t.steps = s.Turn, s.N
	switch s.Kind {
	case parley.StepPrompt:
		return with(s, func(p prompt) error {
			t.underWay = true
			return t.showPrompt(tx, s.Turn, p)
		})
	case parley.StepInbox:
		return with(s, func(in inboxStep) error { return t.showArrival(tx, in) })
	case parley.StepReply:
		return with(s, func(r replyStep) error { return t.replayReply(tx, s.Turn, r) })
	case parley.StepCall:
		return with(s, func(c started) error { t.started[c.Call] = true; return nil })
	case parley.StepAway:
		return with(s, func(a awayStep) error { t.away.add(a); return nil })
	case parley.StepHeld:
		return with(s, func(h held) error { t.held[h.Call] = true; return nil })
	case parley.StepResult:
		return with(s, func(r result) error { t.addResult(r); return nil })
	}
	return nil
}

// with reads what a step holds.
func with[T any](s parley.Step, take func(T) error) error {
	var content T
	if err := json.Unmarshal(s.Content, &content); err != nil {
		return err
	}
	return take(content)
}

func (t *run) replayReply(tx *store.Tx, turn int, r replyStep) error {
	if r.Prompt != nil {
		if err := t.showPrompt(tx, turn, *r.Prompt); err != nil {
			return err
		}
	}
	t.unshown = sight{} // it was marked with this very step
	t.add(r.Reply)
	t.underWay = len(r.Calls) > 0 || r.Rejected != ""
	return nil
}

// showPrompt takes what a turn began with into the conversation.
func (t *run) showPrompt(tx *store.Tx, turn int, p prompt) error {
	t.replies, t.failures, t.rounds, t.peer = 0, 0, 0, ""
	if turn == 1 {
		t.relevant = p.Relevant
	}
	if err := t.showNotices(tx, turn, p.Notices); err != nil {
		return err
	}
	return t.showInbox(tx, p.Inbox)
}

// showInbox takes what came back to the task into the conversation.
func (t *run) showInbox(tx *store.Tx, upto int) error {
	items, err := t.readInbox(tx, upto)
	for _, m := range items {
		t.recall(m)
	}
	return err
}

// readInbox reads on in the task's inbox.
func (t *run) readInbox(tx *store.Tx, upto int) ([]parley.Message, error) {
	items, err := tx.Inbox(t.task.ID, t.inboxRead, upto)
	if err != nil {
		return nil, err
	}
	t.inboxRead = upto
	return items, t.meetAuthors(tx, items)
}

func (t *run) showNotices(tx *store.Tx, turn int, ids []parley.MessageID) error {
	list, err := t.readNotices(tx, ids)
	for _, m := range list {
		t.notice(turn, m)
	}
	return err
}

// readNotices reads messages that a step names.
func (t *run) readNotices(tx *store.Tx, ids []parley.MessageID) (list []parley.Message, err error) {
	for _, id := range ids {
		m, err := tx.Message(id)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was too old to be kept
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, t.meetAuthors(tx, list)
}
