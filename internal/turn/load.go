package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley"
	"parley/internal/store"
)

// historySize is how many messages of the conversation an agent is shown.
const historySize = 20

// remember begins with what was handed over, if what was said before is at hand
// too and nothing has to be read.
func (r *run) remember(h *parley.Handover) (b beginning, ok bool) {
	if h == nil || h.Mail || h.Channel.Kind == parley.Group || h.Request.Kind == parley.QuestionMessage || h.Thread.Kept { // whose members, way or keepers have to be read
		return b, false
	}
	messages, missing := r.Store.Recent().Back(h.Request.Thread, h.Request.Prev, 0, historySize)
	if missing != 0 {
		return b, false
	}
	letters, ok := r.names.known([]parley.Message{h.Request}, messages)
	if !ok {
		return b, false
	}
	read := h.Thread.ReadBy(r.lease.Agent)
	in := place{Channel: h.Channel, partner: r.names.of(h.Channel.Peer(r.lease.Agent))}
	script := newTranscript(h.Task, in, letters)
	if script.hasNews(h.Thread, read) {
		return b, false
	}
	r.transcript, r.lookedTo, r.quiet = script, read, h.Quiet
	return script.beginning(mail{}, read, h.Thread.Count), true
}

// newTranscript begins a transcript with what its task begins with: the request,
// and before it the history, the newest first.
func newTranscript(task parley.Task, in place, letters []letter) transcript {
	history := letters[1:]
	slices.Reverse(history)
	return transcript{task: task, asked: letters[0], place: in, history: history}
}

// load reads the task and its stored steps, and what a new turn begins with unless
// one is under way.
func (r *run) load(ctx context.Context, known *parley.Handover) (b beginning, err error) {
	err = r.Store.View(ctx, func(tx *store.Tx) (err error) {
		var h parley.Handover
		if known != nil {
			h = *known
		} else if h, err = tx.Handover(r.lease.Task); err != nil {
			return err
		}
		if !h.Task.LeasedTo(r.lease.Token) {
			return parley.ErrLost // cancelled before the turn could begin
		}
		asked, err := r.loadFailed(tx, h)
		if err != nil {
			return err
		}
		messages, err := tx.Back(asked.Thread, asked.Prev, 0, historySize)
		if err != nil {
			return err
		}
		letters, err := r.names.letters(tx, append([]parley.Message{asked}, messages...))
		if err != nil {
			return err
		}
		in, read, err := r.enter(tx, h)
		if err != nil {
			return err
		}
		r.transcript = newTranscript(h.Task, in, letters)
		if err := r.replay(tx); err != nil {
			return err
		}
		if r.lookedTo = max(h.Thread.ReadBy(r.lease.Agent), r.unshown.place); r.underWay {
			return nil
		}
		if b, err = r.loadBeginning(tx, h, read); err != nil || !h.Thread.Kept {
			return err
		}
		b.prompt.Kept, err = r.loadKept(tx)
		return err
	})
	return b, err
}

// shownMembers bounds how many members of a channel are named.
const shownMembers = 50

// enter learns who is in the channel, and how far the agent has read it.
func (r *run) enter(tx *store.Tx, h parley.Handover) (in place, read int, err error) {
	in.Channel = h.Channel
	if h.Channel.Kind != parley.Group {
		partner := h.Channel.Peer(r.lease.Agent)
		err = r.names.learn(tx, partner)
		in.partner = r.names.of(partner)
		return in, h.Thread.ReadBy(r.lease.Agent), err
	}
	own, err := tx.Member(h.Channel.ID, r.lease.Agent)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // it may have been removed since it was mentioned
		return in, 0, err
	}
	members, err := tx.Members(h.Channel.ID)
	if err != nil {
		return in, 0, err
	}
	for _, m := range members[:min(shownMembers, len(members))] {
		if err := r.names.learn(tx, m.Agent); err != nil {
			return in, 0, err
		}
		name := "you"
		if m.Agent != r.lease.Agent {
			name = r.names.of(m.Agent)
		}
		in.members = append(in.members, name)
	}
	if more := len(members) - shownMembers; more > 0 {
		in.members = append(in.members, fmt.Sprintf("%d more", more))
	}
	return in, own.Read, nil
}

// replay takes in the stored steps, in their order, after those of the tasks that this
// one goes on from.
func (r *run) replay(tx *store.Tx) error {
	if r.task.Turns == 0 {
		return nil
	}
	for _, f := range r.failed {
		if err := r.replaySteps(tx, f.steps); err != nil {
			return err
		}
		r.goOn(f.note)
	}
	steps, err := tx.Steps(r.task.ID)
	if err != nil {
		return err
	}
	return r.replaySteps(tx, steps)
}

func (r *run) replaySteps(tx *store.Tx, steps []parley.Step) error {
	for i := range steps {
		s, err := decode(steps[i])
		if err != nil {
			return err
		}
		if s.mail, err = r.mailOf(tx, s.content); err != nil {
			return err
		}
		r.apply(s)
	}
	return nil
}

// mailOf reads the messages that a step names.
func (r *run) mailOf(tx *store.Tx, of content) (m mail, err error) {
	var notices []parley.MessageID
	var block *unread
	upto := r.inboxRead
	switch c := of.(type) {
	case prompt:
		notices, upto, block = c.Notices, c.Inbox, c.Unread
	case inboxStep:
		notices, upto, block = c.Notices, c.Upto, c.Unread
		if block == nil {
			block = &unread{Messages: c.Mail}
		}
	case replyStep:
		if c.Prompt != nil {
			notices, upto, block = c.Prompt.Notices, c.Prompt.Inbox, c.Prompt.Unread
		}
	}
	if block != nil {
		if err := r.readUnread(tx, *block, &m); err != nil {
			return m, err
		}
	}
	if m.notices, err = r.readNotices(tx, notices); err != nil {
		return m, err
	}
	m.inbox, err = r.readInbox(tx, upto)
	return m, err
}

func (r *run) readNotices(tx *store.Tx, ids []parley.MessageID) ([]letter, error) {
	var messages []parley.Message
	for _, id := range ids {
		m, err := tx.Message(id)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was too old to be kept
		}
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return r.names.letters(tx, messages)
}

// readInbox reads on in the task's inbox.
func (r *run) readInbox(tx *store.Tx, upto int) ([]letter, error) {
	if upto <= r.inboxRead {
		return nil, nil
	}
	messages, err := tx.Inbox(r.task.ID, r.inboxRead, upto)
	if err != nil {
		return nil, err
	}
	list, err := r.names.letters(tx, messages)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := r.names.learnAsked(tx, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}
