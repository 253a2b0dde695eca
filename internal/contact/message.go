package contact

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// post stores a text of any length. What is longer than a message may be is
// attached, and the message holds its beginning. to may be 0 if there are others.
func (s *Service) post(tx *store.Tx, m *parley.Message, to parley.AgentID, besides ...store.Recipient) error {
	return s.postTo(tx, m, store.Recipient{ID: to}, besides...)
}

// postMail is post for what starts no turn.
func (s *Service) postMail(tx *store.Tx, m *parley.Message, to parley.AgentID) error {
	return s.postTo(tx, m, store.Recipient{ID: to, Mail: true})
}

func (s *Service) postTo(tx *store.Tx, m *parley.Message, to store.Recipient, besides ...store.Recipient) error {
	whole, limit := m.Body, s.dir.Limits(m.Author).MessageBytes
	if len(whole) > limit {
		m.Body = excerpt(whole, limit, m.Task)
	}
	var all []store.Recipient
	if to.ID != 0 && (to.ID != m.Author || m.FromHub()) { // nobody is told what they said themselves
		pulls, err := s.pulls(tx, to.ID)
		if err != nil {
			return err
		}
		to.Pulls, to.Mail = pulls, to.Mail && !pulls
		all = append(all, to)
	}
	for _, r := range besides {
		if r.ID != to.ID {
			all = append(all, r)
		}
	}
	if err := tx.Post(m, all...); err != nil {
		return err
	}
	if len(whole) > limit {
		tx.InsertAttachment(m.ID, whole)
	}
	return nil
}

// pulls reports whether a participant fetches its messages.
func (s *Service) pulls(tx *store.Tx, id parley.AgentID) (bool, error) {
	if e, ok := s.dir.Entry(id); ok {
		return parley.Agent{Kind: e.Kind}.Pulls(), nil
	}
	a, err := tx.Agent(id)
	return a.Pulls(), err
}

const excerptBytes = 4 << 10

// beginningNote is in every message that is only the beginning of what is attached to it.
const beginningNote = "\n\n[This is the beginning of a text of "

func excerpt(whole string, limit int, task parley.TaskID) string {
	return beginning(whole, limit, fmt.Sprintf(
		beginningNote+"%d bytes; the whole is attached to the reply of %s.]", len(whole), task))
}

// beginning is the first part of a text, with a note that says so, within limit bytes.
func beginning(whole string, limit int, note string) string {
	n := max(0, min(limit-len(note), excerptBytes))
	for n > 0 && !utf8.RuneStart(whole[n]) {
		n--
	}
	return whole[:n] + note
}

// clean makes a model's or a tool's text fit to be stored.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// says reports whether a message says just this. Of one whose text was taken away
// nobody can tell any more: it counts as the same.
func says(tx *store.Tx, m parley.Message, body, context string) (bool, error) {
	if m.Body == body && m.Context == context {
		return true, nil
	}
	return tx.Redacted(m.ID)
}
