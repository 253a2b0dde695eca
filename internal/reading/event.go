package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/contact"
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

// Events reads the record after a cursor, oldest first, and hands each event
// to take; the empty cursor is the beginning. It returns at the last event, or
// with follow when the context is done.
//
// idle is called from time to time while nothing happens.
func (s *Service) Events(ctx context.Context, c contact.Caller, cursor string, follow bool, take func(parley.Event) error, idle func() error) error {
	f := following{s: s, caller: c, cursor: cursor, take: take}
	changed, stop := s.store.Bus().Watch(wake.Signal{Topic: wake.Events, ID: int64(c.Team)})
	defer stop()
	wait := firstLook
	for {
		n, err := f.look(ctx)
		if err != nil {
			return err
		}
		if n == 0 && !follow {
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
	caller contact.Caller
	cursor string
	take   func(parley.Event) error
}

// look hands out one page and says how many events it had.
func (f *following) look(ctx context.Context) (int, error) {
	var page []parley.Event
	next := f.cursor
	err := f.s.store.View(ctx, func(tx *store.Tx) (err error) {
		if f.cursor == Now {
			next, err = tx.LatestEvent()
			return err
		}
		page, next, err = tx.Events(f.caller.Team, f.cursor, eventPage)
		return err
	})
	if err != nil {
		return 0, err
	}
	f.cursor = next
	for _, e := range page {
		if !f.s.everything(f.caller) && e.Actor != f.caller.Agent && e.Target != f.caller.Agent {
			continue
		}
		if err := f.take(e); err != nil {
			return 0, err
		}
	}
	return len(page), nil
}
