package redaction

import (
	"cmp"
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// finding is everything that holds the text of a message.
type finding struct {
	s    *Service
	team parley.TeamID
	mark string // what stands where the text was

	message  parley.Message
	done     bool // it was redacted before: there is nothing left to find
	messages []parley.MessageID
	quoted   []parley.MessageID
	secrets  secrets
	document string // the text as it is searched
	events   []parley.Event
	readers  []parley.TaskID      // whose steps have it
	kept     []parley.KeptMessage // in keepers
	added    []string             // by those who forwarded a question
	carried  []parley.MessageID   // that brought the additions to the asker
	contents []keptContent        // of files that tasks changed
}

// run looks for everything. What one step finds, the next ones look for too.
func (f *finding) run(tx *store.Tx, id parley.MessageID) (err error) {
	if f.message, err = tx.Message(id); err != nil {
		return access.NotFound(err, "%s", id)
	}
	if f.message.Team != f.team {
		return parley.Errorf(parley.NotFound, "%s not found.", id)
	}
	f.messages = []parley.MessageID{id}
	if f.done, err = tx.Redacted(id); err != nil || f.done {
		return err
	}
	whole, err := tx.Attachment(id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	f.document = cmp.Or(whole, f.message.Body)
	if f.message.Context != "" {
		f.document += "\n" + f.message.Context
	}
	said := []string{whole, f.message.Body, f.message.Context}
	f.secrets = newSecrets(slices.Concat(said, asArguments(said), shownAs(said...))...)
	for _, step := range []func(*store.Tx) error{f.findCopies, f.findAdded, f.findKept, f.findParts, f.findReaders, f.findEvents, f.findContents} {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// mostQuoted bounds how many messages that quote the text are named.
const mostQuoted = 100

// findCopies tells copies from quotations: a copy has the same author and says
// nothing else. Of a short text only the same task's are copies.
func (f *finding) findCopies(tx *store.Tx) error {
	list, err := tx.Copies(f.team, 1, f.message.Body)
	for _, m := range list {
		sameTask := m.Task != 0 && m.Task == f.message.Task
		switch {
		case m.ID == f.message.ID:
		case m.Whole && m.Author == f.message.Author && (sameTask || len(f.message.Body) >= distinctive):
			f.messages = append(f.messages, m.ID)
		case len(f.message.Body) >= distinctive && len(f.quoted) < mostQuoted:
			f.quoted = append(f.quoted, m.ID)
		}
	}
	return err
}

// findEvents finds those that quote the text. Most say only what was done.
func (f *finding) findEvents(tx *store.Tx) error {
	quoted := parley.Clip(f.message.Body, parley.QuotedRunes)
	list, err := tx.EventsContaining(f.team, f.message.At, quoted)
	f.events = slices.DeleteFunc(list, func(e parley.Event) bool {
		switch e.Kind {
		case parley.EventDropped, parley.EventFailed:
			return len(quoted) < distinctive && (e.Detail != quoted || e.Task != f.message.Task)
		case parley.EventRefused, parley.EventToolRefused, parley.EventApprovalDenied,
			parley.EventChatLinked, parley.EventChatUnlinked, parley.EventChatStranger, parley.EventChatGivenUp:
			return len(quoted) < distinctive
		}
		return true
	})
	return err
}

// findReaders finds the turns that read the text in another conversation than their
// own, found it by a search or in a keeper. They may belong to any tree.
func (f *finding) findReaders(tx *store.Tx) error {
	topics, err := f.topics(tx)
	if err != nil {
		return err
	}
	for _, text := range append(f.shownElsewhere(), topics...) {
		list, err := tx.TasksContaining(f.team, f.message.At, withinJSON(text, false), withinJSON(text, true))
		if err != nil {
			return err
		}
		f.readers = append(f.readers, list...)
	}
	slices.Sort(f.readers)
	f.readers = slices.Compact(f.readers)
	return nil
}

// topics are those of keepers that say something of the text. Later tasks in the same
// thread are shown them.
func (f *finding) topics(tx *store.Tx) (list []string, err error) {
	for _, m := range f.kept {
		k, err := tx.Keeper(m.Keeper)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil && f.secrets.scrub(k.Topic, f.mark) != k.Topic && !slices.Contains(list, k.Topic) {
			list = append(list, k.Topic)
		}
	}
	return list, nil
}

// shownElsewhere is what to look for in other trees, as it is written there. A search
// that shows only a piece of a message names it.
func (f *finding) shownElsewhere() (texts []string) {
	if len(f.message.Body) >= distinctive {
		texts = append(texts, shownAs(f.message.Body)...)
	}
	if len(f.message.Context) >= distinctive {
		texts = append(texts, shownAs(f.message.Context)...)
	}
	for _, id := range f.messages {
		texts = append(texts, id.String()+", ")
	}
	return append(texts, f.addExcerpts()...)
}

// shownAs are the forms in which texts are shown to agents.
func shownAs(texts ...string) (list []string) {
	for _, text := range texts {
		list = append(list, parley.Quote(text), parley.Entry(text))
	}
	return list
}

// keptContent is a content of a file, stored so that a change can be taken back.
type keptContent struct {
	task parley.TaskID
	hash string
}

// findContents finds the stored contents of files that quote the text. The files
// themselves are people's business. What was written before the message counts too: an
// agent writes first and reports afterwards.
func (f *finding) findContents(tx *store.Tx) error {
	return tx.FileContents(f.team, func(task parley.TaskID, hash string, content []byte) {
		text := string(content)
		if f.secrets.scrub(text, f.mark) != text {
			f.contents = append(f.contents, keptContent{task, hash})
		}
	})
}
