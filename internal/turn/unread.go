package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
	"parley/internal/step"
	"parley/internal/store"
)

// Mail is what was sent to the agent and starts no turn. The next turn shows it,
// whoever that turn is for, in one block directly before its request. What the thread
// of the turn has of it is news there, and not in the block.
//
// A turn with such a block stores what it begins with before its model is asked: the
// mail is marked as seen in the same transaction, so that of two turns at once only
// one shows it, and one that dies shows it when it goes on.

const (
	unreadSize  = 20   // messages
	toldSize    = 1000 // messages
	unreadChars = 8000 // with everything around them
	frameChars  = 400  // of what is around them
)

// unread is the mail that a turn began with, as stored.
type unread = step.Unread

// takesMail reports whether mail is shown in the turn beyond that of its own thread.
// Nothing from elsewhere is to influence a decision about an approval.
func (r *run) takesMail() bool { return !r.agent.Isolated && !r.asked.AsksForDecision() }

// loadUnread adds the unread mail to what a turn begins with. Who is in a channel sees
// what is said there, so a turn in one learns only that there is mail.
func (r *run) loadUnread(tx *store.Tx, b *beginning) error {
	if !r.takesMail() {
		return nil
	}
	filter := store.MailFilter{To: r.lease.Agent, Except: r.task.Thread}
	count, from, err := tx.MailSenders(filter)
	if err != nil || count == 0 {
		return err
	}
	block := unread{Count: count}
	if r.place.Kind == parley.Group {
		block.From = from
		if err := r.tell(tx, &block, nil); err != nil {
			return err
		}
	} else {
		filter.Longest, filter.Limit = unreadChars, unreadSize
		list, err := tx.UnreadMail(filter)
		if err != nil {
			return err
		}
		letters, err := r.names.letters(tx, list)
		if err != nil {
			return err
		}
		block.Messages = idsOf(r.fitting(letters))
	}
	b.prompt.Unread = &block
	return r.readUnread(tx, block, &b.mail)
}

// fitting are the oldest of the mail that fit into the block. One that would fill it
// alone is left out, so that it does not keep others from being seen.
func (r *run) fitting(list []letter) (fits []letter) {
	room := unreadChars
	if b, ok := r.agent.Model.(model.Bounded); ok {
		if window, _ := b.Window(); window > 0 {
			room = min(room, window) // a third of the window, or less
		}
	}
	room -= frameChars
	left := room
	for _, m := range list {
		n := utf8.RuneCountInString(parley.MailText(m.from, m.Message)) + 2
		if n > room {
			continue
		}
		if left -= n; left < 0 {
			break
		}
		fits = append(fits, m)
	}
	return fits
}

// readUnread reads what a block names.
func (r *run) readUnread(tx *store.Tx, block unread, m *mail) (err error) {
	if m.unread, err = r.readNotices(tx, block.Messages); err != nil {
		return err
	}
	if err := r.names.learn(tx, block.From...); err != nil {
		return err
	}
	for _, id := range block.From {
		name := r.names.of(id)
		if slices.Contains(block.Urgent, id) {
			name += " (urgent)"
		}
		m.senders = append(m.senders, name)
	}
	return nil
}

// readMailAbout reads mail that the running turn is shown at once, or in a group told
// of.
func (r *run) readMailAbout(tx *store.Tx, a *arrival) (err error) {
	if !r.takesMail() {
		return nil
	}
	if r.place.Kind == parley.Group {
		var block unread
		if err := r.tell(tx, &block, r.told); err != nil || len(block.Told) == 0 {
			return err
		}
		block.Count, a.step.Unread = len(block.Told), &block
		return r.readUnread(tx, block, &a.mail)
	}
	list, err := tx.MailAbout(r.lease.Agent, r.task.ID, r.task.Thread, unreadSize)
	if err != nil {
		return err
	}
	a.unread, err = r.names.letters(tx, list)
	a.step.Mail = idsOf(a.unread)
	return err
}

// tell adds to a block what mail there is about the task, or urgent, but for what was
// told before.
func (r *run) tell(tx *store.Tx, block *unread, before []parley.MessageID) error {
	notes, err := tx.MailNotes(r.lease.Agent, r.task.ID, r.task.Thread, toldSize)
	for _, n := range notes {
		if slices.Contains(before, n.ID) {
			continue
		}
		block.Told = append(block.Told, n.ID)
		if !slices.Contains(block.From, n.From) {
			block.From = append(block.From, n.From)
		}
		if n.Urgent && !slices.Contains(block.Urgent, n.From) {
			block.Urgent = append(block.Urgent, n.From)
		}
	}
	slices.Sort(block.From)
	return err
}

// storeUnread stores what the turn begins with, if it shows mail.
func (r *run) storeUnread(ctx context.Context) error {
	if r.start == nil || len(r.prompt.UnreadIDs()) == 0 {
		return nil
	}
	return r.storeSteps(ctx, draft{content: r.prompt})
}

// takeUnread marks the mail that the first of the steps shows as seen, and leaves out
// what another turn has shown meanwhile. What else the turn begins with is marked with
// it, in one order.
func (r *run) takeUnread(tx *store.Tx, drafts []draft) ([]draft, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	p, ok := drafts[0].content.(prompt)
	if !ok || r.start == nil || len(p.UnreadIDs()) == 0 {
		return drafts, nil
	}
	if r.start.ReadTo > 0 { // it is about to be written
		if _, err := tx.LockThread(r.task.Thread); err != nil {
			return nil, err
		}
	}
	all := append(p.UnreadIDs(), r.start.Seen...)
	fresh, err := tx.TakeMail(append(all, r.task.Request), r.lease.Agent)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(p.UnreadIDs(), func(id parley.MessageID) bool { return !slices.Contains(fresh, id) })
	block := unread{Messages: left, Count: p.Unread.Count - len(p.Unread.Messages) + len(left)}
	if p.Unread = &block; block.Count == 0 {
		p.Unread = nil
	}
	drafts = slices.Clone(drafts)
	drafts[0].content = p
	return drafts, nil
}

// showUnread shows the mail that a turn began with directly before its request.
func (t *transcript) showUnread(p prompt, m mail) {
	t.prompt = p
	text, shown := "", shownOf(p, m.unread)
	if p.Unread != nil {
		t.told = append(t.told, p.Unread.Told...)
		text = unreadText(*p.Unread, shown, m.senders)
	}
	if t.turn == 1 {
		t.unread = text
		return
	}
	e := entry{Message: model.Message{Role: model.User, Text: text}, unread: true, stored: &letter{}}
	if len(shown) > 0 {
		e.stored = &shown[0]
	}
	at := slices.IndexFunc(t.past[t.began:], func(e entry) bool { return e.unread })
	switch {
	case at < 0 && text != "":
		t.past = append(t.past, e)
	case at >= 0 && text == "":
		t.past = slices.Delete(t.past, t.began+at, t.began+at+1)
	case at >= 0:
		t.past[t.began+at] = e
	}
}

// shownOf are the letters that the block shows.
func shownOf(p prompt, list []letter) (shown []letter) {
	ids := p.UnreadIDs()
	for _, m := range list {
		if slices.Contains(ids, m.ID) {
			shown = append(shown, m)
		}
	}
	return shown
}

// unreadText is the block as the model reads it.
func unreadText(u unread, shown []letter, senders []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unread | %d messages]\nFor you alone; not part of the request.", u.Count)
	for _, m := range shown {
		b.WriteString("\n\n" + parley.MailText(m.from, m.Message))
	}
	more := u.Count - len(u.Messages)
	switch {
	case len(senders) > 0:
		fmt.Fprintf(&b, "\n\nFrom %s; read_inbox shows them.", senderList(senders))
	case more == 1:
		b.WriteString("\n\n1 more is not shown here; read_inbox shows it.")
	case more > 1:
		fmt.Fprintf(&b, "\n\n%d more are not shown here; read_inbox shows them.", more)
	}
	return b.String()
}

func senderList(names []string) string {
	if more := len(names) - unreadSize; more > 0 {
		names = append(slices.Clone(names[:unreadSize]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
