package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

const (
	// pageSize is how many events are looked at in one go.
	pageSize = 200
	// storePassed is after how many events without anything to post the place is stored.
	storePassed = 5000
	// failurePause is the pause after the store has failed.
	failurePause = 5 * time.Second
	// On a database that other hubs use too, a signal may get lost, and an event may be
	// held back by a transaction before it. So it looks again, less and less often.
	firstLook, lastLook = time.Second, time.Minute
)

// followed are the events that may have something to post.
var followed = []parley.EventKind{
	parley.EventApprovalRequested, parley.EventApprovalApproved, parley.EventApprovalDenied, parley.EventApprovalExpired, parley.EventApprovalWithdrawn,
	parley.EventTask, parley.EventMessage, parley.EventWaiting, parley.EventCompleted, parley.EventFailed, parley.EventCancelled, parley.EventRedacted,
	parley.EventBudgetSpent, parley.EventQuestionAnswered, parley.EventQuestionExpired, parley.EventQuestionFailed,
}

// follow turns what happens into posts.
func (b *Bridge) follow(ctx context.Context) {
	written, stop := b.Store.Bus().Watch(wake.Signal{Topic: wake.Events, ID: int64(b.Team.ID)})
	defer stop()
	look, f := firstLook, follower{Bridge: b}
	for ctx.Err() == nil {
		more, err := f.step(ctx)
		switch {
		case errors.Is(err, errLost):
			return
		case err != nil && ctx.Err() == nil:
			b.Log.Warn("what happens could not be passed on to the chat program; it is tried again", "error", err)
			pause(ctx, failurePause, nil)
			continue
		case more:
			continue
		}
		again := look
		if !b.Store.Shared() {
			again = -1
		}
		if pause(ctx, again, written) {
			look = firstLook
		} else {
			look = min(2*look, lastLook)
		}
	}
}

// follower is a walk along the record.
type follower struct {
	*Bridge
	// stored is the place in the store as it was last read. Between it and passed is
	// nothing to post.
	stored, passed string
	skipped        int
}

// found is what a page of the record has to post.
type found struct {
	cursor string // in the store
	next   string
	looked int
	more   bool
	posts  []parley.ChatPost
	// changed are approvals, tasks and messages whose posts are to be shown anew.
	approvals []parley.ApprovalID
	tasks     []parley.TaskID
	messages  []parley.MessageID
}

func (f *found) nothing() bool {
	return len(f.posts)+len(f.approvals)+len(f.tasks)+len(f.messages) == 0
}

// step looks at one page of the record. The posts are stored together with the place
// after it.
func (f *follower) step(ctx context.Context) (more bool, err error) {
	page, err := f.look(ctx)
	if err != nil {
		return false, err
	}
	f.skipped += page.looked
	if page.nothing() && f.skipped < storePassed {
		f.passed = page.next
		return page.more, nil
	}
	err = f.change(ctx, func(tx *store.Tx, row *store.Bridge) error {
		if row.Cursor != page.cursor {
			return errLost
		}
		for _, p := range page.posts {
			tx.InsertChatPost(p)
		}
		for _, id := range page.approvals {
			tx.ChangedApproval(f.name, id)
		}
		for _, id := range page.tasks {
			tx.ChangedQuestion(f.name, id)
		}
		for _, id := range page.messages {
			tx.ChangedMessage(f.name, id)
		}
		row.Cursor = page.next
		return nil
	})
	if err != nil {
		return false, err
	}
	f.stored, f.passed, f.skipped = page.next, page.next, 0
	f.wakeSender()
	return page.more, nil
}

func (f *follower) look(ctx context.Context) (page found, err error) {
	err = f.Store.View(ctx, func(tx *store.Tx) error {
		page = found{}
		row, err := tx.Bridge(f.Team.ID, f.name)
		if err != nil {
			return err
		}
		page.cursor = row.Cursor
		if row.Cursor != f.stored {
			f.stored, f.passed = row.Cursor, row.Cursor
		}
		list, next, err := tx.EventsOf(store.EventFilter{Team: f.Team.ID, Kinds: followed}, f.passed, pageSize)
		if err != nil {
			return err
		}
		page.next, page.looked, page.more = next, len(list), len(list) == pageSize
		if len(list) == 0 {
			return nil
		}
		r := reader{follower: f, tx: tx, page: &page}
		if r.people, err = f.accounts(tx); err != nil {
			return err
		}
		for _, e := range list {
			if tx.Now.Since(e.At) > f.Timing.MaxBehind {
				continue
			}
			if err := r.event(e); err != nil && !errors.Is(err, store.ErrNotFound) { // retention has removed it
				return err
			}
		}
		return nil
	})
	return page, err
}

// reader finds what events have to post, within one transaction.
type reader struct {
	*follower
	tx     *store.Tx
	page   *found
	people []parley.ChatAccount
}

func (r *reader) event(e parley.Event) error {
	switch e.Kind {
	case parley.EventApprovalRequested:
		return r.requested(e)
	case parley.EventApprovalApproved, parley.EventApprovalDenied, parley.EventApprovalExpired, parley.EventApprovalWithdrawn:
		if id, ok := approvalOf(e); ok {
			r.page.approvals = append(r.page.approvals, id)
		}
		return nil
	case parley.EventRedacted:
		r.page.messages = append(r.page.messages, e.Message)
		return nil
	case parley.EventTask:
		return r.asked(e) // what it mentions has an event of its own
	case parley.EventCompleted, parley.EventFailed, parley.EventCancelled:
		if err := r.ended(e); err != nil {
			return err
		}
	}
	return r.message(e)
}

func approvalOf(e parley.Event) (parley.ApprovalID, bool) {
	name, _, _ := strings.Cut(e.Detail, ":")
	id, err := parley.ParseApprovalID(name)
	return id, err == nil
}

// requested posts an approval to those who are linked and may decide about it.
func (r *reader) requested(e parley.Event) error {
	id, ok := approvalOf(e)
	if !ok {
		return nil
	}
	a, err := r.tx.Approval(id)
	if err != nil || a.State != parley.ApprovalPending {
		return err
	}
	for _, c := range r.people {
		if may, err := r.Reading.MayDecide(r.tx, r.as(c.Agent), a); err != nil || !may {
			if err != nil {
				return err
			}
			continue
		}
		r.add(e, parley.ChatPost{Kind: parley.ChatApproval, Conversation: c.Conversation, Agent: c.Agent, Approval: id})
	}
	return nil
}

// asked posts a task to the person whom it is asked of.
func (r *reader) asked(e parley.Event) error {
	for _, c := range r.people {
		if c.Agent != e.Target {
			continue
		}
		t, err := r.tx.Task(e.Task)
		if err != nil || !t.State.Open() {
			return err
		}
		r.add(e, parley.ChatPost{Kind: parley.ChatQuestion, Conversation: c.Conversation, Agent: c.Agent, Task: t.ID, Message: e.Message})
	}
	return nil
}

// ended takes the buttons from what a person was asked.
func (r *reader) ended(e parley.Event) error {
	t, err := r.tx.Task(e.Task)
	if err == nil && slices.ContainsFunc(r.people, func(c parley.ChatAccount) bool { return c.Agent == t.Agent }) {
		r.page.tasks = append(r.page.tasks, t.ID)
	}
	return err
}

// message posts a message in the conversation that its channel is mapped to, and to the
// people for whom it is mail.
func (r *reader) message(e parley.Event) error {
	m, ok, err := r.tx.MessageOf(e)
	if err != nil || !ok {
		return err
	}
	here, err := r.inChannel(e, m)
	if err != nil {
		return err
	}
	if len(r.people) == 0 {
		return nil
	}
	deliveries, err := r.tx.Deliveries(m.ID)
	if err != nil {
		return err
	}
	mentions, err := r.tx.MentionsOf(m.ID)
	if err != nil {
		return err
	}
	for _, c := range r.people {
		asked := slices.ContainsFunc(mentions, func(t parley.Task) bool { return t.Agent == c.Agent })
		mine := m.Author == c.Agent && !m.FromHub()
		unread := slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.Recipient == c.Agent && d.Pull && d.Unread() })
		if asked || mine || !unread || here == c.Agent {
			continue
		}
		at := Place{Conversation: c.Conversation}
		p := parley.ChatPost{Kind: parley.ChatMessage, Agent: c.Agent, Message: m.ID}
		if _, err := r.answering(&p, at, m); err != nil {
			return err
		}
		r.add(e, p)
	}
	return nil
}

// inChannel posts a message where its channel is mapped to, unless it was said there. It
// returns who asked for it there, and so reads it there.
func (r *reader) inChannel(e parley.Event, m parley.Message) (asker parley.AgentID, err error) {
	if len(r.mapped) == 0 {
		return 0, nil
	}
	thread, err := r.tx.Thread(m.Thread)
	if err != nil {
		return 0, err
	}
	ch, err := r.tx.Channel(thread.Channel)
	if err != nil || ch.Kind != parley.Group || ch.Removed {
		return 0, err
	}
	said, _, fromHere := r.saidAt(m)
	for at, name := range r.mapped {
		if name != parley.FoldName(ch.Name) || fromHere && said.Conversation == at.Conversation && r.isPerson(m.Author) {
			continue
		}
		p := parley.ChatPost{Kind: parley.ChatMessage, Message: m.ID}
		by, err := r.answering(&p, at, m)
		if err != nil {
			return 0, err
		}
		if by != 0 {
			asker = by
		}
		r.add(e, p)
	}
	return asker, nil
}

// isPerson keeps agents from hiding a message by a key of their own.
func (r *reader) isPerson(id parley.AgentID) bool {
	a, err := r.tx.Agent(id)
	return err == nil && a.Kind == parley.Person
}

// answering puts a post below the chat message that asked for it, if there is one. It
// returns who asked, if that was said there.
func (r *reader) answering(p *parley.ChatPost, at Place, m parley.Message) (parley.AgentID, error) {
	p.Conversation, p.Thread = at.Conversation, at.Thread
	if m.Task == 0 {
		return 0, nil
	}
	t, err := r.tx.Task(m.Task)
	if err != nil || t.Request == 0 || t.Request == m.ID {
		return 0, ignoreGone(err)
	}
	request, err := r.tx.Message(t.Request)
	if err != nil {
		return 0, ignoreGone(err)
	}
	if said, posted, ok := r.saidAt(request); ok && said.Conversation == at.Conversation {
		p.Thread, p.ReplyTo = said.Thread, posted
		return request.Author, nil
	}
	p.ReplyTo, err = r.tx.PostedMessage(r.name, at.Conversation, request.ID)
	return 0, err
}

func ignoreGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

func (r *reader) add(e parley.Event, p parley.ChatPost) {
	p.Team, p.Program = r.Team.ID, r.name
	p.Key = fmt.Sprintf("event-%d/%s/%s/%s", e.ID, p.Kind, escape(p.Conversation), escape(p.Thread))
	r.page.posts = append(r.page.posts, p)
}
