package redaction

import (
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// finding is everything that holds the text of a message.
type finding struct {
	s    *Service
	tx   *store.Tx // of the reading; the erasure has its own
	team parley.TeamID
	mark string // what stands where the text was

	first    parley.Message
	before   bool // it was redacted before: there is nothing left to find
	messages []parley.MessageID
	quoted   []parley.MessageID
	secrets  secrets
	events   []parley.Event
	readers  []parley.TaskID      // whose tools showed it
	kept     []parley.KeptMessage // in keepers
	added    []string             // by those who forwarded a question
	carried  []parley.MessageID   // that brought the additions to the asker
}

// run looks for everything. What one step finds, the next ones look for too.
func (f *finding) run(id parley.MessageID) (err error) {
	if f.first, err = f.tx.Message(id); err != nil {
		return access.NotFound(err, "%s", id)
	}
	if f.first.Team != f.team {
		return parley.Errorf(parley.NotFound, "%s not found.", id)
	}
	f.messages = []parley.MessageID{id}
	if f.before, err = f.tx.Redacted(id); err != nil || f.before {
		return err
	}
	whole, err := f.tx.Attachment(id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	f.secrets = newSecrets(whole, f.first.Body, f.first.Context, parley.Quote(f.first.Body))
	for _, step := range []func() error{f.findCopies, f.findAdded, f.findKept, f.findReaders, f.findEvents} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mostQuoted bounds how many messages that quote the text are named.
const mostQuoted = 100

// findCopies tells copies from quotations: a copy has the same author and says
// nothing else. Of a short text only the same task's are copies.
func (f *finding) findCopies() error {
	list, err := f.tx.Copies(f.team, 1, f.first.Body)
	for _, m := range list {
		sameTask := m.Task != 0 && m.Task == f.first.Task
		switch {
		case m.ID == f.first.ID:
		case m.Whole && m.Author == f.first.Author && (sameTask || len(f.first.Body) >= distinctive):
			f.messages = append(f.messages, m.ID)
		case len(f.first.Body) >= distinctive && len(f.quoted) < mostQuoted:
			f.quoted = append(f.quoted, m.ID)
		}
	}
	return err
}

// clippedRunes is the least that an event quotes of a text.
const clippedRunes = 200

// findEvents finds those that quote the text. Most say only what was done.
func (f *finding) findEvents() error {
	quoted := parley.Clip(f.first.Body, clippedRunes)
	list, err := f.tx.EventsContaining(f.team, f.first.At, quoted)
	f.events = slices.DeleteFunc(list, func(e parley.Event) bool {
		switch e.Kind {
		case parley.EventDropped, parley.EventFailed:
			return len(quoted) < distinctive && (e.Detail != quoted || e.Task != f.first.Task)
		case parley.EventRefused, parley.EventToolRefused, parley.EventApprovalDenied:
			return len(quoted) < distinctive
		}
		return true
	})
	return err
}

// findReaders finds the turns that read the text in a channel or found it in a
// keeper. They may belong to any tree.
func (f *finding) findReaders() error {
	texts, err := f.shownElsewhere()
	if err != nil {
		return err
	}
	for _, text := range texts {
		list, err := f.tx.TasksContaining(f.team, f.first.At, withinJSON(text, false), withinJSON(text, true))
		if err != nil {
			return err
		}
		f.readers = append(f.readers, list...)
	}
	slices.Sort(f.readers)
	f.readers = slices.Compact(f.readers)
	return nil
}

// shownElsewhere is what to look for in other trees, as it is written there.
func (f *finding) shownElsewhere() (texts []string, err error) {
	thread, err := f.tx.Thread(f.first.Thread)
	if err != nil {
		return nil, err
	}
	channel, err := f.tx.Channel(thread.Channel)
	if err != nil {
		return nil, err
	}
	if len(f.first.Body) >= distinctive && (channel.Kind == parley.Group || len(f.kept) > 0) {
		texts = append(texts, parley.Quote(f.first.Body))
	}
	return append(texts, f.excerpts()...), nil
}
