package turn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
)

// maxUnkept is how many messages are put away at once.
const maxUnkept = 500

// unkept reads the oldest of the thread, also beyond the history, and of what happened
// on the task, that is in no keeper of the agent yet; and how much there is in all.
// The reply whose calls run at this moment is not part of it.
func (r *run) unkept(ctx context.Context) (list []parley.KeptMessage, total int, err error) {
	err = r.Store.View(ctx, func(tx *store.Tx) error {
		ids, count, err := tx.Unkept(r.asked.ID, r.lease.Agent, maxUnkept)
		if err != nil {
			return err
		}
		if list, err = r.keptOf(tx, ids); err != nil {
			return err
		}
		past, err := r.unkeptPast(tx)
		if total = count + len(past); count == len(ids) {
			list = append(list, past...)
		}
		list = list[:min(len(list), maxUnkept)]
		return err
	})
	return list, total, err
}

// keptOf reads messages of the thread as a keeper holds them.
func (r *run) keptOf(tx *store.Tx, ids []parley.MessageID) ([]parley.KeptMessage, error) {
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = int64(id)
	}
	found, err := tx.FoundMessages(numbers)
	if err != nil {
		return nil, err
	}
	messages := make([]parley.Message, len(found))
	for i, m := range found {
		messages[i] = m.Message
	}
	slices.SortFunc(messages, func(a, b parley.Message) int { return cmp.Compare(a.N, b.N) })
	letters, err := r.names.letters(tx, messages)
	var shown []model.Message
	var from []source
	for i := range letters {
		shown, from = append(shown, r.render(&letters[i])), append(from, source{kind: beforeRequest, stored: &letters[i]})
	}
	return r.kept(shown, from), err
}

// unkeptPast is what happened on the task since its request and is in no keeper yet.
// Steps are put away in their order, so that those that were are the first.
func (r *run) unkeptPast(tx *store.Tx) (list []parley.KeptMessage, err error) {
	past := r.past
	if last := slices.IndexFunc(past, func(e entry) bool { return len(r.pending) > 0 && callsAny(e, r.pending) }); last >= 0 {
		past = past[:last]
	}
	var shown []model.Message
	var from []source
	var ids []parley.MessageID
	for _, e := range past {
		src := source{kind: sinceRequest, stored: e.stored}
		if e.unread {
			src.kind = unreadMail
		}
		shown, from = append(shown, e.Message), append(from, src)
		if e.stored != nil {
			ids = append(ids, e.stored.ID)
		}
	}
	kept, err := tx.InKeepers(r.lease.Agent, ids)
	if err != nil {
		return nil, err
	}
	steps, err := r.keptSteps(tx)
	for _, m := range r.kept(shown, from) {
		switch {
		case m.Message != 0 && kept[m.Message]:
		case m.Message == 0 && steps > 0:
			steps--
		default:
			list = append(list, m)
		}
	}
	return list, err
}

// callsAny reports whether a reply made one of the calls.
func callsAny(e entry, calls []pendingCall) bool {
	return slices.ContainsFunc(e.Calls, func(c model.Call) bool {
		return slices.ContainsFunc(calls, func(p pendingCall) bool { return p.ID == c.ID })
	})
}

// kept are messages of a request as a keeper holds them.
func (t *transcript) kept(messages []model.Message, from []source) []parley.KeptMessage {
	list := make([]parley.KeptMessage, 0, len(messages))
	at := t.task.CreatedAt
	for i, m := range messages {
		if from[i].kind == theHub || from[i].kind == unreadMail { // mail is kept where it was said
			continue
		}
		k := parley.KeptMessage{Role: string(m.Role), Author: t.task.Agent, Text: textOf(m), At: at}
		if src := from[i].stored; src != nil {
			at = src.At
			k.Author, k.Message, k.At, k.Private = src.Author, src.ID, at, src.Thread != t.task.Thread
			if src.Kind == parley.QuestionMessage && src.Author != t.task.Agent {
				k.Text = Text(src.Message, src.from) // not what was found for this reader alone
			}
		} else {
			k.Private = m.Role != model.Assistant || len(m.Calls) > 0 // a closing text was posted
		}
		if strings.TrimSpace(k.Text) != "" {
			list = append(list, k)
		}
	}
	return list
}

// textOf is a message in words, with the calls that it made.
func textOf(m model.Message) string {
	text := m.Text
	for _, c := range m.Calls {
		if text != "" {
			text += "\n"
		}
		text += c.Name + " " + string(c.Args)
	}
	return text
}
