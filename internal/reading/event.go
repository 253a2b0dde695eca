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

// Now is the cursor for the present.
const Now = "now"

const (
	eventPage = 200
	// A signal may arrive before its event can be read, because an earlier
	// transaction still holds the event back. So the first looks follow each other
	// closely. The slowest one makes up for lost signals.
	firstPause = 10 * time.Millisecond
	maxPause   = 5 * time.Second
)

// Record says which part of the record to read.
type Record struct {
	// Cursor is where to start; the empty one is the beginning.
	Cursor string
	// Last starts with that many of the newest events instead.
	Last int
	// Follow continues with new events as they happen.
	Follow bool

	// Agent is the actor or the target, by name. Task is the task that the event is
	// about, with Tree also its descendants. Kind is one kind, or a pattern with a
	// star. Since is inclusive, Until exclusive.
	Agent        string
	Task         parley.TaskID
	Tree         bool
	Kind         string
	Since, Until parley.Micros
}

// Events reads the record, oldest first, and passes each event to take. It returns
// after the last event. With Follow it returns when the context is done, or once
// Until has passed.
//
// idle is called from time to time while nothing happens.
func (s *Service) Events(ctx context.Context, c access.Caller, r Record, take func(parley.Event) error, idle func() error) error {
	f := eventReader{s: s, cursor: r.Cursor, last: r.Last, take: take, idle: idle}
	var err error
	if f.filter, err = s.eventFilter(ctx, c, r); err != nil {
		return err
	}
	switch {
	case !r.Follow:
		_, err = f.catchUp(ctx)
		return err
	case f.filter.Tree || f.filter.Until != 0: // only the store knows these
		return f.poll(ctx)
	}
	for err == nil {
		err = f.follow(ctx)
	}
	return err
}

// poll follows the record by reading it after every change.
func (f *eventReader) poll(ctx context.Context) error {
	changed, stop := f.s.store.Bus().Watch(wake.Signal{Topic: wake.Events, ID: int64(f.filter.Team)})
	defer stop()
	wait := firstPause
	for {
		n, err := f.catchUp(ctx)
		if err != nil || f.over {
			return err
		}
		if n > 0 {
			wait = firstPause
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-changed:
			wait = firstPause
		case <-timer.C:
			wait = min(2*wait, maxPause)
			err = f.idle()
		}
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// follow reads up to the present and then takes what the team's feed brings. It returns
// without an error when the feed has dropped this reader, which may join again.
func (f *eventReader) follow(ctx context.Context) error {
	// Join first, then read: what is recorded in between comes both ways, and is told
	// apart by its place.
	feed, m := f.s.joinEvents(f.filter)
	defer f.s.feeds.leave(feed, m)
	select {
	case <-feed.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if _, err := f.catchUp(ctx); err != nil {
		return err
	}
	wait, both := firstPause, true
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e, ok := <-m.items:
			if !ok || m.stale.Load() {
				return nil
			}
			if both = both && !store.CursorBefore(f.cursor, e.Cursor); both {
				continue
			}
			if err := f.pass(*e); err != nil {
				return err
			}
		case <-timer.C:
			if err := f.idle(); err != nil {
				return err
			}
			wait = min(2*wait, maxPause)
			timer.Reset(wait)
		}
	}
}

// eventReader is a reader's place in the record.
type eventReader struct {
	s      *Service
	filter store.EventFilter
	cursor string
	last   int  // how many of the newest to start with; 0 once it has started
	over   bool // Until had passed at the last look
	take   func(parley.Event) error
	idle   func() error
}

// eventFilter checks the request and turns it into a filter.
func (s *Service) eventFilter(ctx context.Context, c access.Caller, r Record) (store.EventFilter, error) {
	f := store.EventFilter{Team: c.Team, Task: r.Task, Tree: r.Tree, Kind: r.Kind, Since: r.Since, Until: r.Until}
	if !s.seesAll(c) {
		f.Sees = c.Agent
	}
	if r.Kind != "" {
		if err := parley.CheckKindPattern(r.Kind); err != nil {
			return f, err
		}
	}
	if r.Since != 0 && r.Until != 0 && r.Until <= r.Since {
		return f, parley.Errorf(parley.Conflict, "The time asked for ends before it begins.")
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
		a, err := tx.AgentByName(c.Team, r.Agent) // even one that is gone from the files
		if errors.Is(err, store.ErrNotFound) {
			_, err = s.dir.Find(c.Team, r.Agent)
		}
		f.Agent = a.ID
		return err
	})
	return f, err
}

// catchUp passes on what is recorded by now and returns how many events that were.
func (f *eventReader) catchUp(ctx context.Context) (passed int, err error) {
	for {
		n, err := f.nextPage(ctx)
		passed += n
		if err != nil || n == 0 {
			return passed, err
		}
	}
}

// nextPage passes on one page and returns how many events it had.
func (f *eventReader) nextPage(ctx context.Context) (int, error) {
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
	for _, e := range page {
		if err := f.pass(e); err != nil {
			return 0, err
		}
	}
	f.cursor, f.last = next, 0
	return len(page), nil
}

func (f *eventReader) pass(e parley.Event) error {
	f.cursor = e.Cursor
	return f.take(e)
}
