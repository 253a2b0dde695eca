package reading

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/wake"
)

// Now stands for the present as a place in the record.
const Now = "now"

const (
	eventPage = 200
	// A signal may come before what it tells of can be read: another transaction
	// that began earlier holds it back. So the first looks follow each other
	// closely, and the last is the slow one that makes up for lost signals.
	firstLook = 10 * time.Millisecond
	slowLook  = 5 * time.Second
)

// Record says which part of the record to read.
type Record struct {
	// Cursor is the place to begin after; the empty one is the beginning.
	Cursor string
	// Last begins instead with so many of the newest events.
	Last int
	// Follow goes on with what happens.
	Follow bool

	// Agent names who did it or to whom it was done. Task is the one it is about,
	// with Tree those below it too. Kind is a kind, or several with a star for what
	// differs. Since is the first moment, Until the one after the last.
	Agent        string
	Task         parley.TaskID
	Tree         bool
	Kind         string
	Since, Until parley.Micros
}

// Events reads the record, oldest first, and hands each event to take. It
// returns at the last event, or with Follow when the context is done or the end of
// the time asked for has passed.
//
// idle is called from time to time while nothing happens.
func (s *Service) Events(ctx context.Context, c access.Caller, r Record, take func(parley.Event) error, idle func() error) error {
	f := following{s: s, cursor: r.Cursor, last: r.Last, take: take}
	var err error
	if f.filter, err = s.eventFilter(ctx, c, r); err != nil {
		return err
	}
	changed, stop := s.store.Bus().Watch(wake.Signal{Topic: wake.Events, ID: int64(c.Team)})
	defer stop()
	wait := firstLook
	for {
		n, err := f.look(ctx)
		if err != nil {
			return err
		}
		if n == 0 && (!r.Follow || f.over) {
			return nil
		}
		if n > 0 {
			wait = firstLook
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-changed:
			wait = firstLook
		case <-timer.C:
			wait = min(2*wait, slowLook)
			err = idle()
		}
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// following is a reader's place in the record.
type following struct {
	s      *Service
	filter store.EventFilter
	cursor string
	last   int  // with how many of the newest to begin
	over   bool // the end of the time asked for has passed
	take   func(parley.Event) error
}

// eventFilter checks what is asked for.
func (s *Service) eventFilter(ctx context.Context, c access.Caller, r Record) (store.EventFilter, error) {
	f := store.EventFilter{Team: c.Team, Task: r.Task, Tree: r.Tree, Kind: r.Kind, Since: r.Since, Until: r.Until}
	if !s.everything(c) {
		f.Sees = c.Agent
	}
	if r.Kind != "" {
		if err := parley.CheckKindPattern(r.Kind); err != nil {
			return f, err
		}
	}
	if r.Since != 0 && r.Until != 0 && r.Until <= r.Since {
		return f, parley.Errorf(parley.Invalid, "The time asked for ends before it begins.")
	}
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		if r.Task != 0 {
			t, err := tx.Task(r.Task)
			if err = orMissing(err, s.seesTask(c, t), r.Task); err != nil {
				return err
			}
		}
		if r.Agent == "" {
			return nil
		}
		a, err := tx.AgentByName(c.Team, r.Agent) // also one that is gone from the files
		if errors.Is(err, store.ErrNotFound) {
			_, err = s.dir.Find(c.Team, r.Agent)
		}
		f.Agent = a.ID
		return err
	})
	return f, err
}

// look hands out one page and says how many events it had.
func (f *following) look(ctx context.Context) (int, error) {
	var page []parley.Event
	next := f.cursor
	err := f.s.store.View(ctx, func(tx *store.Tx) (err error) {
		f.over = f.filter.Until != 0 && tx.Now >= f.filter.Until
		switch {
		case f.last > 0:
			page, next, err = tx.LastEvents(f.filter, f.last)
		case f.cursor == Now:
			next, err = tx.LatestEvent()
		default:
			page, next, err = tx.EventsOf(f.filter, f.cursor, eventPage)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	f.cursor, f.last = next, 0
	for _, e := range page {
		if err := f.take(e); err != nil {
			return 0, err
		}
	}
	return len(page), nil
}
