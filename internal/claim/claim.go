// Package claim records who works on what: claims on regions of files and on other
// named things, and what agents announce to work on.
//
// A claim is checked and taken in one transaction under the lock of its team, so no
// two agents ever hold the same line. A claim that conflicts changes nothing.
package claim

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// Duration is how long a claim lasts unless it is renewed by claiming again.
const Duration = 5 * time.Minute

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store store.Store
	dir   *directory.Directory
}

func New(s store.Store, dir *directory.Directory) *Service { return &Service{store: s, dir: dir} }

// Held is a claim as others see it.
type Held struct {
	parley.Claim
	Holder string
	Left   time.Duration
}

// Taken is the result of Take.
type Taken struct {
	Held
	// Renewed says that the caller held all of it before.
	Renewed bool
	// Conflicts are the claims of others on the same lines. If there are any,
	// nothing was changed.
	Conflicts []Held
}

// Take claims lines of a file for the caller's task, or renews its claim.
func (s *Service) Take(ctx context.Context, c access.Caller, path string, lines parley.Lines) (Taken, error) {
	var out Taken
	path, err := parley.CleanPath(path)
	if err != nil {
		return out, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		claim := parley.Claim{Team: c.Team, Path: path, Lines: lines, Agent: c.Agent, Task: c.Task, Until: tx.Now.Add(Duration)}
		out = Taken{}
		list, err := lock(tx, c, path)
		if err != nil {
			return err
		}
		own, others := split(list, claim)
		if out.Conflicts, err = s.show(tx, others); err != nil || len(others) > 0 {
			return err
		}
		out.Renewed = take(tx, claim, own)
		held, err := s.show(tx, []parley.Claim{claim})
		if err != nil {
			return err
		}
		out.Held = held[0]
		return nil
	})
	return out, err
}

// lock stops others in the team from claiming, and reads the claims on the path.
func lock(tx *store.Tx, c access.Caller, path string) ([]parley.Claim, error) {
	if err := c.LockOwnTask(tx); err != nil {
		return nil, err
	}
	if _, err := tx.LockTeam(c.Team); err != nil {
		return nil, err
	}
	return tx.ClaimsOn(c.Team, path)
}

// split separates the holder's own claims on a path from those of others that
// conflict.
func split(list []parley.Claim, wanted parley.Claim) (own, conflicts []parley.Claim) {
	for _, held := range list {
		switch {
		case held.HeldBy(wanted.Agent, wanted.Task):
			own = append(own, held)
		case held.Lines.Overlaps(wanted.Lines):
			conflicts = append(conflicts, held)
		}
	}
	return own, conflicts
}

// take stores a claim and removes the holder's own claims that it covers. It reports
// whether the holder had all of it before.
func take(tx *store.Tx, claim parley.Claim, own []parley.Claim) (renewed bool) {
	tx.SweepClaims(claim.Team)
	for _, held := range own {
		renewed = renewed || held.Lines.Covers(claim.Lines)
		if claim.Lines.Covers(held.Lines) && held.Lines != claim.Lines {
			tx.DeleteClaim(held)
		}
	}
	tx.PutClaim(claim)
	if !renewed {
		tx.Record(event(claim, parley.EventClaimed))
	}
	return renewed
}

// Release ends the claims of the caller's task on some lines and returns them.
func (s *Service) Release(ctx context.Context, c access.Caller, path string, lines parley.Lines) ([]parley.Claim, error) {
	path, err := parley.CleanPath(path)
	if err != nil {
		return nil, err
	}
	var given []parley.Claim
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		given = nil
		list, err := lock(tx, c, path)
		if err != nil {
			return err
		}
		for _, held := range list {
			if !held.HeldBy(c.Agent, c.Task) || !held.Lines.Overlaps(lines) {
				continue
			}
			given = append(given, held)
			tx.DeleteClaim(held)
			tx.Record(event(held, parley.EventReleased))
		}
		return nil
	})
	return given, err
}

func event(c parley.Claim, kind parley.EventKind) parley.Event {
	return parley.Event{Team: c.Team, Kind: kind, Actor: c.Agent, Task: c.Task, Detail: c.Region()}
}

// List returns the claims in the caller's team.
func (s *Service) List(ctx context.Context, c access.Caller) ([]Held, error) {
	var out []Held
	err := s.store.View(ctx, func(tx *store.Tx) error {
		list, err := tx.Claims(c.Team)
		if err != nil {
			return err
		}
		out, err = s.show(tx, list)
		return err
	})
	return out, err
}

// show adds the names of the holders.
func (s *Service) show(tx *store.Tx, list []parley.Claim) ([]Held, error) {
	out := make([]Held, len(list))
	for i, c := range list {
		name, err := s.name(tx, c.Agent)
		if err != nil {
			return nil, err
		}
		out[i] = Held{Claim: c, Holder: name, Left: c.Until.Until(tx.Now)}
	}
	return out, nil
}

func (s *Service) name(tx *store.Tx, id parley.AgentID) (string, error) {
	if e, ok := s.dir.Entry(id); ok {
		return e.Name, nil
	}
	a, err := tx.Agent(id)
	return a.Name, err
}
