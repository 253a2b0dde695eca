// Package keeper puts parts of conversations away and finds them again. An agent or
// the hub offloads messages into a keeper. Whoever may read where they were said can
// retrieve them by their content.
//
// A keeper has the same readers as the channel that it was made from: the two of a
// dm, or whoever is in the group at the time of reading. Messages that were not said
// in the channel, such as the results of tools, are for the keeper's owner alone,
// until the owner shares the keeper with the team. All reading goes through one
// check, readers.may (reader.go).
package keeper

import (
	"context"
	"log/slog"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/search"
	"parley/internal/store"
)

// Index finds kept messages by their words. Package search implements it.
type Index interface {
	Find(ctx context.Context, q search.Query) ([]search.Hit, error)
	// Remove and Put must run within the transaction that changes the texts or their
	// readers.
	Remove(tx *store.Tx, kind search.Kind, ids []int64) error
	Put(tx *store.Tx, kind search.Kind, docs []search.Document)
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
	index  Index
	log    *slog.Logger
	uses   *uses
}

// New makes the service.
func New(s store.Store, dir *directory.Directory, control *access.Control, index Index, log *slog.Logger) *Service {
	return &Service{store: s, dir: dir, access: control, index: index, log: log, uses: newUses()}
}

// permit asks the rules about a caller from outside. A turn's call was decided before
// it ran.
func (s *Service) permit(ctx context.Context, c access.Caller, verb string) error {
	return s.access.PermitOutside(ctx, c, policy.KeeperOp, verb)
}

// person reports whether somebody is a person: people may read everything in their
// team.
func (s *Service) person(id parley.AgentID) bool {
	e, ok := s.dir.Entry(id)
	return ok && e.Kind == parley.Person
}

func missing(id parley.KeeperID) error { return parley.Errorf(parley.NotFound, "%s not found.", id) }

// cut shortens a text to a number of characters.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit])
}
