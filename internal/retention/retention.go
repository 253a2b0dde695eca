// Package retention removes what a team's files say is too old to keep: messages
// of work that has long ended, and events. It goes over the record slowly and in
// small transactions, so that no contact waits for it, and writes nothing where
// there is nothing to remove.
//
// Several hubs on one database may do so at once: what one has removed, the
// other does not find.
package retention

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// Rule is how long things are kept; 0 is for ever.
type Rule struct {
	Messages, Events time.Duration
}

// None reports whether everything is kept.
func (r Rule) None() bool { return r == Rule{} }

const (
	// batch is how many are looked at in one transaction.
	batch = 200
	// keepersAtOnce is how many keepers are gone over in one transaction.
	keepersAtOnce = 5
	// pause lets others have the database between two batches.
	pause = 50 * time.Millisecond
	// firstSweep is when the hub has come up; later ones are enough once an hour.
	firstSweep = time.Minute
	nextSweep  = time.Hour
)

// Sweeper keeps one team to its rule.
type Sweeper struct {
	store store.Store
	team  parley.TeamID
	rule  Rule
	index Index
	// Keepers hold copies of messages, which go like them; nil if there are none.
	Keepers Keepers
	log     *slog.Logger
}

// Keepers lose what is too old. Package keeper does it.
type Keepers interface {
	Trim(tx *store.Tx, id parley.KeeperID, before parley.Micros) error
}

// Index is where messages are found by their words, which it loses before them.
type Index interface {
	Forget(tx *store.Tx, ids []parley.MessageID) error
}

// New makes a sweeper.
func New(s store.Store, team parley.TeamID, rule Rule, index Index, log *slog.Logger) *Sweeper {
	return &Sweeper{store: s, team: team, rule: rule, index: index, log: log}
}

// Run sweeps from time to time until the context is done.
func (s *Sweeper) Run(ctx context.Context) {
	if s.rule.None() {
		return
	}
	for wait := firstSweep; rest(ctx, wait); wait = nextSweep {
		if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("old records could not be removed; the next try is in an hour", "error", err)
		}
	}
}

// Removed is what a sweep took away.
type Removed struct{ Messages, Events int }

// Sweep goes over the record once. What it took away is one event.
func (s *Sweeper) Sweep(ctx context.Context) (gone Removed, err error) {
	if s.rule.Messages > 0 {
		gone.Messages, err = s.messages(ctx)
		if err == nil {
			err = s.requests(ctx)
		}
		if err == nil {
			err = s.kept(ctx)
		}
		if err == nil {
			err = s.questions(ctx)
		}
	}
	if s.rule.Events > 0 && err == nil {
		gone.Events, err = s.events(ctx)
	}
	if gone == (Removed{}) {
		return gone, err
	}
	failed := s.store.Update(ctx, func(tx *store.Tx) error {
		tx.Record(parley.Event{Team: s.team, Kind: parley.EventRetention, Detail: s.describe(gone)})
		return nil
	})
	if err == nil {
		err = failed
	}
	return gone, err
}

func (s *Sweeper) describe(gone Removed) string {
	var parts []string
	if gone.Messages > 0 {
		parts = append(parts, fmt.Sprintf("%d messages older than %s", gone.Messages, Span(s.rule.Messages)))
	}
	if gone.Events > 0 {
		parts = append(parts, fmt.Sprintf("%d events older than %s", gone.Events, Span(s.rule.Events)))
	}
	return strings.Join(parts, ", ")
}

// Span is a time in days where it is one.
func Span(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}

// messages looks without disturbing anybody and removes what it finds, batch by
// batch. Between the two a task may have been opened again, so what may go is
// decided anew where it goes.
func (s *Sweeper) messages(ctx context.Context) (removed int, err error) {
	for place := parley.MessageID(0); ; {
		var page store.OldMessages
		look := func(tx *store.Tx) (err error) {
			page, err = tx.OldMessages(s.team, place, tx.Now.Add(-s.rule.Messages), batch)
			return err
		}
		if err := s.store.View(ctx, look); err != nil {
			return removed, err
		}
		next, done := page.Next, page.Done
		if len(page.Remove) > 0 {
			err := s.store.Update(ctx, func(tx *store.Tx) error {
				if err := look(tx); err != nil {
					return err
				}
				if err := s.index.Forget(tx, page.Remove); err != nil {
					return err
				}
				tx.RemoveMessages(page.Remove)
				return nil
			})
			if err != nil {
				return removed, err
			}
			removed += len(page.Remove)
		}
		if done {
			return removed, nil
		}
		place = next
		if !rest(ctx, pause) {
			return removed, context.Cause(ctx)
		}
	}
}

// requests removes what callers from outside wanted to say and never did.
func (s *Sweeper) requests(ctx context.Context) error {
	return s.closed(ctx, (*store.Tx).OldRequests, (*store.Tx).RemoveRequests)
}

// questions removes the questions that were closed long ago: their messages have
// gone before, or go by themselves.
func (s *Sweeper) questions(ctx context.Context) error {
	return s.closed(ctx, (*store.Tx).OldQuestions, (*store.Tx).RemoveQuestions)
}

// closed removes what ended before the time from which messages are kept. It
// writes only if there is something.
func (s *Sweeper) closed(ctx context.Context, count func(*store.Tx, parley.TeamID, parley.Micros) (int, error),
	remove func(*store.Tx, parley.TeamID, parley.Micros)) error {
	var n int
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		n, err = count(tx, s.team, tx.Now.Add(-s.rule.Messages))
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		remove(tx, s.team, tx.Now.Add(-s.rule.Messages))
		return nil
	})
}

// kept removes what keepers hold of that time, some keepers at once.
func (s *Sweeper) kept(ctx context.Context) error {
	for s.Keepers != nil {
		var ids []parley.KeeperID
		look := func(tx *store.Tx) (err error) {
			ids, err = tx.AgedKeepers(s.team, tx.Now.Add(-s.rule.Messages), keepersAtOnce)
			return err
		}
		if err := s.store.View(ctx, look); err != nil || len(ids) == 0 {
			return err
		}
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			for _, id := range ids {
				if err := s.Keepers.Trim(tx, id, tx.Now.Add(-s.rule.Messages)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !rest(ctx, pause) {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (s *Sweeper) events(ctx context.Context) (removed int, err error) {
	for cursor := ""; ; {
		var page store.OldEvents
		var before parley.Micros
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			before = tx.Now.Add(-s.rule.Events)
			page, err = tx.OldEvents(s.team, cursor, before, batch)
			return err
		})
		if err == nil && page.Count > 0 {
			err = s.store.Update(ctx, func(tx *store.Tx) error { return tx.RemoveEvents(s.team, cursor, page.Next, before) })
		}
		if err != nil {
			return removed, err
		}
		removed += page.Count
		if page.Done {
			return removed, nil
		}
		cursor = page.Next
		if !rest(ctx, pause) {
			return removed, context.Cause(ctx)
		}
	}
}

// rest waits; it reports false when the context is done first.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
