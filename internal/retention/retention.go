// Package retention removes what is too old according to a team's files: messages of
// work that has long ended, and events. It walks over the record slowly and in small
// transactions, so that no contact waits for it. Where there is nothing to remove it
// writes nothing.
//
// Several hubs on one database may do this at once: what one has removed, the other
// does not find.
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

// Rule is how long things are kept; 0 is forever.
type Rule struct {
	Messages, Events time.Duration
}

// None reports whether everything is kept.
func (r Rule) None() bool { return r == Rule{} }

const (
	// batch is how many messages or events are looked at in one transaction.
	batch = 200
	// keepersAtOnce is how many keepers are trimmed in one transaction.
	keepersAtOnce = 5
	// pause lets others have the database between two batches.
	pause = 50 * time.Millisecond
	// firstSweep comes after the hub has started up. Later, once an hour is enough.
	firstSweep = time.Minute
	nextSweep  = time.Hour
)

// Sweeper applies the rule of one team.
type Sweeper struct {
	store store.Store
	team  parley.TeamID
	rule  Rule
	index Index
	// Keepers have copies of messages, which are removed as well; nil if there are
	// none.
	Keepers Keepers
	log     *slog.Logger
}

// Keepers removes old messages from keepers. Package keeper implements it.
type Keepers interface {
	Trim(tx *store.Tx, id parley.KeeperID, before parley.Micros) error
}

// Index forgets the words of messages, before the messages are removed. Package
// search implements it.
type Index interface {
	Forget(tx *store.Tx, ids []parley.MessageID) error
}

// New makes a sweeper.
func New(s store.Store, team parley.TeamID, rule Rule, index Index, log *slog.Logger) *Sweeper {
	return &Sweeper{store: s, team: team, rule: rule, index: index, log: log}
}

// Run sweeps regularly until the context is done.
func (s *Sweeper) Run(ctx context.Context) {
	if s.rule.None() {
		return
	}
	for wait := firstSweep; sleep(ctx, wait); wait = nextSweep {
		if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("old records could not be removed; the next try is in an hour", "error", err)
		}
	}
}

// Removed counts what a sweep removed.
type Removed struct{ Messages, Events int }

// Sweep walks over the record once. One event records what it removed.
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

// Span writes a time in days if it is whole days.
func Span(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}

// messages looks in a view, which disturbs nobody, and removes what it finds, batch
// by batch. In between a task may have been opened again, so the removing transaction
// looks again.
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
		if !sleep(ctx, pause) {
			return removed, context.Cause(ctx)
		}
	}
}

// requests removes old requests from outside that never became a contact.
func (s *Sweeper) requests(ctx context.Context) error {
	return s.removeClosed(ctx, (*store.Tx).OldRequests, (*store.Tx).RemoveRequests)
}

// questions removes questions that were closed long ago. Their messages are removed
// separately.
func (s *Sweeper) questions(ctx context.Context) error {
	return s.removeClosed(ctx, (*store.Tx).OldQuestions, (*store.Tx).RemoveQuestions)
}

// removeClosed removes what was closed before the time from which messages are kept.
// It writes only if there is something.
func (s *Sweeper) removeClosed(ctx context.Context, count func(*store.Tx, parley.TeamID, parley.Micros) (int, error),
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

// kept removes old messages from keepers, some keepers at a time.
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
		if !sleep(ctx, pause) {
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
		if !sleep(ctx, pause) {
			return removed, context.Cause(ctx)
		}
	}
}

// sleep returns false if the context is done first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
