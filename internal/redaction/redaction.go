// Package redaction takes a text out of everything that the hub has stored. It
// first looks for the text beside the writers, over the whole record, and then
// erases it in one transaction.
package redaction

import (
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// Index is where messages are found by their words. A message leaves it while it
// still has its words. Package search implements it.
type Index interface {
	Forget(tx *store.Tx, ids []parley.MessageID) error
}

// Keepers hold copies of messages. Package keeper implements it.
type Keepers interface {
	// Rewrite changes what kept messages say, wherever they are found by it.
	Rewrite(tx *store.Tx, list []parley.KeptMessage) error
	// Rename changes the topic of a keeper.
	Rename(tx *store.Tx, id parley.KeeperID, topic string) error
	// Excerpts are how a message is shown where it is found and not shown whole.
	Excerpts(m parley.KeptMessage) []string
}

// Approvals are calls that wait for a decision. Package contact implements it.
type Approvals interface {
	// Retract withdraws an approval if it is still pending.
	Retract(tx *store.Tx, a parley.Approval, comment string, by parley.AgentID) error
	// Requests are the messages that asked managers to decide about an approval.
	Requests(tx *store.Tx, a parley.Approval) ([]parley.Message, error)
}

// Service is the use case of this package. It is safe for concurrent use.
type Service struct {
	store     store.Store
	dir       *directory.Directory
	access    *access.Control
	approvals Approvals
	index     Index
	keepers   Keepers
}

// New makes the service.
func New(s store.Store, dir *directory.Directory, control *access.Control, approvals Approvals, index Index, keepers Keepers) *Service {
	return &Service{store: s, dir: dir, access: control, approvals: approvals, index: index, keepers: keepers}
}

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
// model has been shown it has been shown. Only people redact.
func (s *Service) Redact(ctx context.Context, c access.Caller, id parley.MessageID, reason string) (Redaction, error) {
	if err := s.access.PeopleOnly(ctx, c, "redact messages", "redact "+id.String()); err != nil {
		return Redaction{}, err
	}
	if err := parley.CheckText(reason); err != nil {
		return Redaction{}, err
	}
	by, _ := s.dir.Entry(c.Agent)
	var found *finding
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found = &finding{s: s, team: c.Team, mark: parley.RedactedText(by.Name)}
		return found.run(tx, id)
	})
	if err != nil {
		return Redaction{}, err
	}
	out := Redaction{Messages: found.messages, Quoted: found.quoted}
	if found.done {
		return out, nil
	}
	reason = found.secrets.scrub(reason, found.mark) // it may quote the text
	err = s.store.Erase(ctx, func(tx *store.Tx) error {
		e := erasure{found: found, tx: tx, by: c.Agent, reason: reason}
		if err := e.run(); err != nil {
			return err
		}
		out.Messages = slices.Concat(found.messages, e.requests)
		out.Quoted = slices.DeleteFunc(slices.Clone(found.quoted), func(id parley.MessageID) bool { return slices.Contains(e.requests, id) })
		return nil
	})
	return out, err
}
