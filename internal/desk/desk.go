// Package desk is for whoever fetches their messages: client agents, which are programs
// outside the hub, and people. They receive what is for them, say what they have seen,
// take tasks and end them.
//
// What is handed out counts as seen once the recipient says so: with the cursor of the
// batch in the next call, with an acknowledgement, with a reply to it or with the end of
// its task. Until then it is handed out again and marked as such, because the answer
// that carried it may have been lost.
//
// A task that is handed out to a client is the client's as long as it is connected, and
// each of its calls renews that. A client that is gone for longer loses its tasks: they
// are queued again and handed out to whoever comes back as the same agent. Whoever of
// them ends the task first ends it.
//
// A Service is safe for concurrent use. Somebody who waits costs a goroutine and its
// watches on the store's bus, and neither reads nor writes until something comes.
package desk

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/store"
)

// DefaultLease is how long a client counts as connected after a call.
const DefaultLease = 5 * time.Minute

// Config is what a Service needs.
type Config struct {
	Store     store.Store
	Directory *directory.Directory
	Contacts  *contact.Service
	Access    *access.Control
	Log       *slog.Logger
	// Lease is how long a client counts as connected after a call; DefaultLease if 0.
	Lease time.Duration
	// Clock is time.Now if nil.
	Clock parley.Clock
}

// Service is the use cases of this package.
type Service struct {
	store    store.Store
	dir      *directory.Directory
	contacts *contact.Service
	access   *access.Control
	log      *slog.Logger
	lease    time.Duration
	clock    parley.Clock

	shown shown

	mu sync.Mutex
	// connected is until when clients are connected, as far as this hub has stored it.
	// It saves most calls a look.
	connected map[parley.AgentID]parley.Micros // by the clock
	waiting   map[parley.AgentID]int           // calls that wait
}

// New makes the service.
func New(cfg Config) *Service {
	if cfg.Lease <= 0 {
		cfg.Lease = DefaultLease
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	return &Service{store: cfg.Store, dir: cfg.Directory, contacts: cfg.Contacts, access: cfg.Access, log: cfg.Log, lease: cfg.Lease, clock: cfg.Clock,
		connected: map[parley.AgentID]parley.Micros{}, waiting: map[parley.AgentID]int{}}
}

// isClient reports whether the caller is a client agent that calls from outside.
func (s *Service) isClient(c access.Caller) bool {
	e, ok := s.dir.Entry(c.Agent)
	return ok && e.Kind == parley.Client && c.Token == 0
}

// Touch notes that the caller is there. Every door calls it for every call.
func (s *Service) Touch(ctx context.Context, c access.Caller) error { return s.renew(ctx, c, 0) }

// renew keeps a client connected for its lease, and for as long as it is going to wait
// before that. It writes only if less than two thirds of the lease would be left, so
// most calls cost nothing.
func (s *Service) renew(ctx context.Context, c access.Caller, waits time.Duration) error {
	if !s.isClient(c) {
		return nil
	}
	enough := waits + s.lease*2/3
	s.mu.Lock()
	until := s.connected[c.Agent]
	s.mu.Unlock()
	if until.Until(s.clock.Now()) >= enough {
		return nil
	}
	var left time.Duration
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		a, err := tx.LockAgent(c.Agent)
		if err != nil {
			return err
		}
		until := max(a.ConnectedUntil, tx.Now.Add(waits+s.lease))
		if left = until.Until(tx.Now); until == a.ConnectedUntil {
			return nil
		}
		tx.SetConnected(a.ID, until)
		if a.Away(tx.Now) {
			tx.Record(parley.Event{Team: a.Team, Kind: parley.EventStatus, Actor: a.ID, Target: a.ID, Detail: "connected"})
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connected[c.Agent] = s.clock.Now().Add(left)
	return nil
}

// waits counts a call that waits until done is called.
func (s *Service) waits(c access.Caller) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[c.Agent]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.waiting[c.Agent]--; s.waiting[c.Agent] == 0 {
			delete(s.waiting, c.Agent)
		}
	}
}

// hungUp notes that a client has left before the end of its wait. It was counted as
// connected for the whole of that; from now on it is as after any other call, unless
// another process of it waits.
func (s *Service) hungUp(ctx context.Context, c access.Caller) {
	s.mu.Lock()
	others := s.waiting[c.Agent] > 1
	if !others {
		delete(s.connected, c.Agent)
	}
	s.mu.Unlock()
	if others || !s.isClient(c) {
		return
	}
	err := s.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		a, err := tx.LockAgent(c.Agent)
		if until := tx.Now.Add(s.lease); err == nil && a.ConnectedUntil > until {
			tx.SetConnected(a.ID, until)
		}
		return err
	})
	if err != nil {
		s.log.Warn("a client that has left still counts as connected", "agent", c.Agent, "error", err)
	}
}

// mostCounted is up to how many unread messages are counted. So many means at least so
// many.
const mostCounted = 200

// Unread is how much waits for the caller, up to mostCounted.
func (s *Service) Unread(ctx context.Context, c access.Caller) (n int, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		n, err = s.unread(tx, c)
		return err
	})
	return n, err
}

func (s *Service) unread(tx *store.Tx, c access.Caller) (int, error) {
	client := s.isClient(c)
	n, err := tx.CountUnseen(c.Agent, !client, mostCounted, s.shown.by(c.Agent)...)
	if err != nil || !client || n >= mostCounted {
		return n, err
	}
	queued, err := tx.CountClaimable(c.Agent, mostCounted-n)
	return n + queued, err
}
