package contact

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Redaction is what was done to take a text away.
type Redaction struct {
	// Messages have lost their text: the one named, and copies of it.
	Messages []parley.MessageID
	// Quoted are other messages that contain the text among other things. They are
	// left as they are: each is somebody's own word, and can be redacted by itself.
	Quoted []parley.MessageID
}

// Redact takes the text of a message away, wherever the hub stored it: the
// message with its context and attachment, copies of it, titles and errors of
// tasks, steps of turns, approvals, events. Who wrote when to whom stays. What a
// model has been shown already it has been shown. People alone may do so.
func (s *Service) Redact(ctx context.Context, c access.Caller, id parley.MessageID, reason string) (Redaction, error) {
	if err := s.access.PeopleOnly(ctx, c, "redact messages", "redact "+id.String()); err != nil {
		return Redaction{}, err
	}
	by, _ := s.dir.Entry(c.Agent)
	if err := checkText(reason); err != nil {
		return Redaction{}, err
	}
	r := redaction{s: s, caller: c, reason: reason, mark: parley.RedactedText(by.Name)}
	if err := s.store.View(ctx, func(tx *store.Tx) error { return r.find(tx, id) }); err != nil {
		return Redaction{}, err
	}
	err := s.store.Erase(ctx, r.erase)
	r.Messages = append(r.Messages, r.sent...)
	return r.Redaction, err
}

// redaction is one at work: first it finds, then it erases.
type redaction struct {
	Redaction
	s      *Service
	caller access.Caller
	reason string
	mark   string

	first   parley.Message
	before  bool // it was redacted before; there is nothing to find any more
	secrets secrets
	events  []parley.Event
	shown   []parley.TaskID    // whose tools have read it in a channel
	sent    []parley.MessageID // to managers, who were shown the call
	kept    []parley.Kept      // in keepers
	added   []string           // by those who forwarded a question
	carried []parley.MessageID // which bring that to the asker
}

// find looks for everything that holds the text. It reads over the whole record,
// beside the writers.
func (r *redaction) find(tx *store.Tx, id parley.MessageID) (err error) {
	r.Redaction, r.secrets = Redaction{}, nil
	if r.first, err = tx.Message(id); err != nil {
		return access.NotFound(err, "%s", id)
	}
	if r.first.Team != r.caller.Team {
		return parley.Errorf(parley.NotFound, "%s not found.", id)
	}
	r.Messages = []parley.MessageID{id}
	if r.before, err = tx.Redacted(id); err != nil || r.before {
		return err
	}
	whole, err := tx.Attachment(id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	r.secrets = newSecrets(whole, r.first.Body, r.first.Context, parley.Quote(r.first.Body))
	if err := r.findCopies(tx); err != nil {
		return err
	}
	if err := r.findAdded(tx); err != nil {
		return err
	}
	if err := r.findKept(tx); err != nil {
		return err
	}
	if err := r.findReaders(tx); err != nil {
		return err
	}
	r.reason = r.secrets.scrub(r.reason, r.mark) // it may quote what is to go
	return r.findEvents(tx)
}

// findEvents finds those that quote the text. Most say only what was done.
func (r *redaction) findEvents(tx *store.Tx) error {
	quoted := parley.Clip(r.first.Body, clippedRunes)
	list, err := tx.EventsWith(r.first.Team, r.first.At, quoted)
	r.events = slices.DeleteFunc(list, func(e parley.Event) bool {
		switch e.Kind {
		case parley.EventDropped, parley.EventFailed:
			return len(quoted) < telling && (e.Detail != quoted || e.Task != r.first.Task)
		case parley.EventRefused, parley.EventToolRefused, parley.EventApprovalDenied:
			return len(quoted) < telling
		}
		return true
	})
	return err
}

// findReaders finds the turns that read the text in a channel or found it in a
// keeper: they may belong to any tree.
func (r *redaction) findReaders(tx *store.Tx) error {
	r.shown = nil
	texts, err := r.spread(tx)
	if err != nil {
		return err
	}
	for _, text := range texts {
		list, err := tx.TasksShown(r.first.Team, r.first.At, withinJSON(text, false), withinJSON(text, true))
		if err != nil {
			return err
		}
		r.shown = append(r.shown, list...)
	}
	slices.Sort(r.shown)
	r.shown = slices.Compact(r.shown)
	return nil
}

// spread is what to look for in other trees, as it is written there.
func (r *redaction) spread(tx *store.Tx) (texts []string, err error) {
	thread, err := tx.Thread(r.first.Thread)
	if err != nil {
		return nil, err
	}
	channel, err := tx.Channel(thread.Channel)
	if err != nil {
		return nil, err
	}
	if len(r.first.Body) >= telling && (channel.Kind == parley.Group || len(r.kept) > 0) {
		texts = append(texts, parley.Quote(r.first.Body))
	}
	return append(texts, r.excerpts()...), nil
}

// clippedRunes is how much of a text an event quotes at least.
const clippedRunes = 200

// findCopies tells copies from quotations: a copy has the same author and says
// nothing else. Of a short text only the same task's are copies.
func (r *redaction) findCopies(tx *store.Tx) error {
	list, err := tx.Copies(r.first.Team, 1, r.first.Body)
	for _, m := range list {
		sameTask := m.Task != 0 && m.Task == r.first.Task
		switch {
		case m.ID == r.first.ID:
		case m.Whole && m.Author == r.first.Author && (sameTask || len(r.first.Body) >= telling):
			r.Messages = append(r.Messages, m.ID)
		case len(r.first.Body) >= telling && len(r.Quoted) < mostQuoted:
			r.Quoted = append(r.Quoted, m.ID)
		}
	}
	return err
}

const mostQuoted = 100

func (r *redaction) erase(tx *store.Tx) error {
	r.sent = nil
	if r.before {
		return nil
	}
	if done, err := tx.Redacted(r.first.ID); err != nil || done {
		return err
	}
	if err := r.forget(tx, slices.Concat(r.Messages, r.carried)...); err != nil { // its lock comes first
		return err
	}
	if err := r.eraseKept(tx); err != nil {
		return err
	}
	var tasks []parley.TaskID
	for _, id := range r.Messages {
		of, err := r.eraseMessage(tx, id)
		if err != nil {
			return err
		}
		tasks = append(tasks, of...)
	}
	if err := r.eraseTrees(tx, tasks); err != nil {
		return err
	}
	for _, id := range r.shown {
		t, err := tx.Task(id)
		if err == nil {
			err = r.eraseTask(tx, t)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range r.carried {
		tx.ForgetContext(id)
	}
	for _, e := range r.events {
		tx.SetDetail(e.ID, r.mark)
	}
	tx.Record(parley.Event{Team: r.first.Team, Kind: parley.EventRedacted, Actor: r.caller.Agent, Target: r.first.Author,
		Task: r.first.Task, Message: r.first.ID, Detail: parley.Clip(r.reason, access.RefusalRunes)})
	return nil
}

// eraseMessage takes away what a message says, and what it asked somebody to decide
// about. It returns the tasks that may have stored the text too.
func (r *redaction) eraseMessage(tx *store.Tx, id parley.MessageID) ([]parley.TaskID, error) {
	m, err := tx.Message(id)
	if err != nil {
		return nil, err
	}
	approvals, err := tx.ApprovalsBehind(id) // of a caller from outside, who may have no task
	if err != nil {
		return nil, err
	}
	if err := r.eraseApprovals(tx, approvals); err != nil {
		return nil, err
	}
	tx.Redact(m, r.caller.Agent, r.mark, r.reason)
	if err := r.eraseQuestion(tx, m); err != nil {
		return nil, err
	}
	mentions, err := tx.MentionsOf(id)
	tasks := []parley.TaskID{m.Task, m.Origin}
	for _, t := range mentions {
		tasks = append(tasks, t.ID)
	}
	return tasks, err
}

// forget takes messages out of the search index while they still have their words.
func (r *redaction) forget(tx *store.Tx, ids ...parley.MessageID) error {
	if r.s.index == nil {
		return nil
	}
	return r.s.index.Forget(tx, ids)
}

// eraseTrees takes the text out of what the tasks that belong together stored of
// their turns.
func (r *redaction) eraseTrees(tx *store.Tx, tasks []parley.TaskID) error {
	var roots []parley.TaskID
	for _, id := range tasks {
		if id == 0 {
			continue
		}
		t, err := tx.Task(id)
		if err != nil {
			return err
		}
		roots = append(roots, t.Root)
	}
	slices.Sort(roots)
	for _, root := range slices.Compact(roots) {
		tree, err := tx.Subtree(root)
		if err != nil {
			return err
		}
		for _, t := range tree {
			if err := r.eraseTask(tx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *redaction) eraseTask(tx *store.Tx, t parley.Task) error {
	if text := r.secrets.scrub(t.Error, r.mark); text != t.Error {
		tx.SetTaskError(t.ID, text)
	}
	steps, err := tx.Steps(t.ID)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if content, changed := r.secrets.scrubJSON(string(step.Content), r.mark); changed {
			step.Content = []byte(content)
			tx.SetStep(step)
		}
	}
	approvals, err := tx.ApprovalsOf(t.ID)
	if err != nil {
		return err
	}
	return r.eraseApprovals(tx, approvals)
}

func (r *redaction) eraseApprovals(tx *store.Tx, list []parley.Approval) error {
	for _, a := range list {
		if err := r.eraseApproval(tx, a); err != nil {
			return err
		}
	}
	return nil
}

// eraseApproval takes the text out of a call. One that still waits is withdrawn:
// nobody could see any more what they decide about.
func (r *redaction) eraseApproval(tx *store.Tx, a parley.Approval) error {
	args, changed := r.secrets.scrubJSON(a.Args, r.mark)
	reason := r.secrets.scrub(a.Reason, r.mark)
	if !changed && reason == a.Reason {
		return nil
	}
	tx.SetArgs(a.ID, args, reason)
	if err := r.eraseRequest(tx, a); err != nil {
		return err
	}
	if a.State != parley.ApprovalPending {
		return nil
	}
	d := decision{s: r.s, tx: tx, approval: &a}
	if err := d.lock(); err != nil || a.State != parley.ApprovalPending {
		return err
	}
	a.Comment = "What it says was redacted."
	return d.settle(parley.ApprovalWithdrawn, r.caller.Agent)
}

// eraseRequest takes away what native managers were sent of a call.
func (r *redaction) eraseRequest(tx *store.Tx, a parley.Approval) error {
	list, err := tx.MessagesByKeys(a.Agent, a.ID.String(), laterManagers(a.ID))
	if err != nil {
		return err
	}
	for _, m := range list {
		if slices.Contains(r.Messages, m.ID) || slices.Contains(r.sent, m.ID) {
			continue
		}
		if err := r.forget(tx, m.ID); err != nil {
			return err
		}
		tx.Redact(m, r.caller.Agent, r.mark, r.reason)
		r.Quoted = slices.DeleteFunc(r.Quoted, func(id parley.MessageID) bool { return id == m.ID })
		r.sent = append(r.sent, m.ID)
		if err := r.eraseTrees(tx, []parley.TaskID{m.Task}); err != nil {
			return err
		}
	}
	return nil
}
