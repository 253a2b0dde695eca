// Package reading is what a participant may read: its team, tasks, conversations, its
// own inbox, the record of events. People may read everything in their team; an agent
// reads what it is part of. A task or message that a caller may not see looks as if
// it did not exist, and so does everything of another team.
package reading

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/live"
	"parley/internal/search"
	"parley/internal/store"
)

// Config is what a Service reads from.
type Config struct {
	Store     store.Store
	Directory *directory.Directory
	Access    *access.Control
	Contacts  *contact.Service
	Index     *search.Service
	Live      *live.Fan // what the turns of this hub are saying
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store    store.Store
	dir      *directory.Directory
	access   *access.Control
	contacts *contact.Service
	index    *search.Service
	live     *live.Fan
	feeds    eventFeeds
	steps    stepFeeds

	// Actions names the calls of tools for the rules. Without it, Always is known for
	// contacts only.
	Actions Actions
}

// New makes the service.
func New(c Config) *Service {
	return &Service{store: c.Store, dir: c.Directory, access: c.Access, contacts: c.Contacts, index: c.Index, live: c.Live}
}

// Name is a participant's name, even if it is gone from the files.
func (s *Service) Name(ctx context.Context, id parley.AgentID) string {
	if id == 0 {
		return ""
	}
	name, _ := s.Who(ctx, id)
	return name
}

// seesAll reports whether the caller may read everything in its team.
func (s *Service) seesAll(c access.Caller) bool {
	e, ok := s.dir.Entry(c.Agent)
	return ok && e.Kind == parley.Person
}

func (s *Service) seesTask(c access.Caller, t parley.Task) bool {
	return t.Team == c.Team && (s.seesAll(c) || t.Requester == c.Agent || t.Agent == c.Agent)
}

func (s *Service) seesMessage(c access.Caller, m parley.Message, to []parley.Delivery) bool {
	if m.Team != c.Team {
		return false
	}
	if s.seesAll(c) || m.Author == c.Agent {
		return true
	}
	for _, d := range to {
		if d.Recipient == c.Agent {
			return true
		}
	}
	return false
}

func (s *Service) seesChannel(tx *store.Tx, c access.Caller, ch parley.Channel) (bool, error) {
	switch {
	case ch.Team != c.Team:
		return false, nil
	case s.seesAll(c):
		return true, nil
	case ch.Kind == parley.Group:
		return tx.IsMember(ch.ID, c.Agent)
	}
	return ch.A == c.Agent || ch.B == c.Agent, nil
}

// missing is the error for what does not exist or may not be seen.
func missing(thing any) error { return parley.Errorf(parley.NotFound, "%s not found.", thing) }

// orMissing returns failures as they are. A row that does not exist and one that may
// not be seen give the same error.
func orMissing(err error, visible bool, thing any) error {
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || !visible {
		return missing(thing)
	}
	return nil
}

// Team reads the caller's team.
func (s *Service) Team(ctx context.Context, c access.Caller) (team parley.Team, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		team, err = tx.Team(c.Team)
		return err
	})
	return team, err
}
