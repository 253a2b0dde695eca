// Package contact is the heart of the hub: one participant contacts another.
//
// Every contact takes the same path. open decides, then stores message,
// delivery, task and event in one transaction. The target's turn runs. finish
// stores the reply, the end of the task, what goes into the asking task's
// inbox and the event in one transaction. An ask is a delegation whose caller
// waits for the end.
//
// Nobody is told of anything before it is committed, and every change of a
// task's state is made by comparing it under a lock first: the first to
// commit wins, and the loser is told the present state.
package contact

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// Request is what a caller says to somebody.
type Request struct {
	Target   string // a name
	Message  string
	Context  string
	Priority parley.Priority // Normal if zero
	// Attach stores a message that is too long as an attachment instead of refusing
	// it. Only a person may say so.
	Attach bool
	// Timeout bounds an ask; the limit's default if zero.
	Timeout time.Duration
	// Budget is that of the tree that the contact begins, in place of what the
	// target's limits say. Only a person gives one.
	Budget parley.Budget
	// Thread is where to speak: the dm's main thread by default.
	Thread ThreadChoice
	// Urgent shows the message between the steps of a turn that runs. Only a person
	// may say so.
	Urgent bool
	// Key makes the contact idempotent: the same key from the same caller finds
	// what was made before.
	Key string

	whole string // of a message that is only the beginning

	after []parley.TaskID // what the task depends on
	path  string          // the file that the task is about

	title    string // of the task, as titleOf makes it; the beginning of the message if empty
	detached bool   // no tool call takes the answer of this ask
	// answersLater says that the caller is told nothing of this ask before its end, or before
	// Store.AwaitSync.
	answersLater bool
	sent         bool // a delegation without a callback
	awaited      bool // a delegation whose result is that of the tool call itself
	paid         bool // another contact of the same call has cost the rate already

	afterwards bool // the task that asks may have ended since
}

// ThreadChoice says in which thread of the dm a contact speaks.
type ThreadChoice struct {
	New   bool            // a fresh one
	Reuse bool            // the given or the latest one
	ID    parley.ThreadID // with Reuse; 0 is the latest
}

// Handoff gives work to an idle worker of this hub in the same transaction
// that stores it, which saves the worker a transaction of its own. It is an
// interface because the workers run turns, which contact others: the circle
// is closed where the hub is put together.
type Handoff interface {
	// Reserve holds a place for a task of the agent, if one is free and nothing
	// that came before is waiting for it. It holds none if the context ends before.
	Reserve(ctx context.Context, agent parley.AgentID) (Reservation, bool)
}

// Reservation is a place held for a task that is about to be stored. Exactly
// one of Start and Cancel is called.
type Reservation interface {
	// Claim gives the lease of a new task to this place, within the transaction
	// that stores it. From then on the place hears if the task is cancelled.
	Claim(tx *store.Tx, t *parley.Task)
	Start(parley.Handover)
	Cancel()
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store   store.Store
	dir     *directory.Directory
	access  *access.Control
	handoff Handoff
	log     *slog.Logger

	// Docs reads what an agent offers others to read. Questions are asked first of those
	// whose docs speak of them. It may be nil.
	Docs func(directory.Docs) string
}

// New makes the service. handoff may be nil: then all work is claimed.
func New(s store.Store, dir *directory.Directory, control *access.Control, handoff Handoff, log *slog.Logger) *Service {
	return &Service{store: s, dir: dir, access: control, handoff: handoff, log: log}
}

// Contact is the outcome of an accepted contact.
type Contact struct {
	Target  string
	Message parley.MessageID
	Task    parley.Task // zero for a notification
	// Question is what was asked; 0 if the contact is no question.
	Question parley.QuestionID

	// Isolated says that the target reads the notification only in its conversation
	// with the caller.
	Isolated bool

	found bool // it was made before, under the same key
}

// check refuses what is refused whatever the rules say.
func (s *Service) check(c access.Caller, r *Request) (directory.Entry, error) {
	target, err := s.dir.Find(c.Team, r.Target)
	if err != nil {
		return target, err
	}
	if target.ID == c.Agent {
		return target, parley.ErrSelf()
	}
	return target, s.checkRequest(c, r, target.Name)
}

// checkRequest refuses a request that cannot be stored, whoever it is for.
func (s *Service) checkRequest(c access.Caller, r *Request, whom string) error {
	if r.Urgent && !s.access.IsPerson(c.Agent) {
		return access.ErrPeopleOnly("send something urgent")
	}
	if strings.TrimSpace(r.Message) == "" {
		return parley.Errorf(parley.Invalid, "The message is empty.").WithHint("Say what you want of %s.", whom)
	}
	if r.Attach {
		var err error
		if r.whole, err = s.attach(c, &r.Message, r.Context); err != nil {
			return err
		}
	}
	limit := s.dir.Limits(c.Agent).MessageBytes
	if n := len(r.Message) + len(r.Context); n > limit {
		return errTooLong(n, limit)
	}
	for _, text := range []string{r.Message, r.Context} {
		if err := parley.CheckText(text); err != nil {
			return err
		}
	}
	if err := checkKey(c, r.Key); err != nil {
		return err
	}
	if r.Priority == 0 {
		r.Priority = parley.Normal
	}
	return nil
}

// checkBody refuses a text that cannot be stored, or its key.
func (s *Service) checkBody(c access.Caller, text, key string) error {
	if limit := s.dir.Limits(c.Agent).MessageBytes; len(text) > limit {
		return errTooLong(len(text), limit)
	}
	if err := checkKey(c, key); err != nil {
		return err
	}
	return parley.CheckText(text)
}

// checkKey refuses what cannot be a key, and from outside one of the hub's own.
func checkKey(c access.Caller, key string) error {
	if err := access.CheckKey(key); err != nil {
		return err
	}
	own := isOwnKey(key) || !c.Chat && strings.HasPrefix(key, parley.ChatKeyPrefix)
	if c.Token == 0 && !c.Approved && own {
		return parley.Errorf(parley.Conflict, "The key %q is one of the hub's own.", key).WithHint("Use another key.")
	}
	return nil
}

// errKeyUsed refuses a key that stands for something else.
func errKeyUsed(key string) error {
	return parley.Errorf(parley.Conflict, "The key %q was used for another contact.", key).
		WithHint("Use a new key for each contact, and the same one only to repeat it.").WithCause(access.ErrUsed)
}

// errTooLong names the limit on the size of a message.
func errTooLong(n, limit int) *parley.Error {
	return parley.Errorf(parley.Limited, "The message has %d bytes; the limit is %d.", n, limit).WithRule("message_bytes").
		WithHint("Shorten it, or put the text where the other can read it.")
}

// name is the name of an agent, even of one that is gone from the files.
func (s *Service) name(tx *store.Tx, id parley.AgentID) (string, error) {
	if e, ok := s.dir.Entry(id); ok {
		return e.Name, nil
	}
	a, err := tx.Agent(id)
	return a.Name, err
}
