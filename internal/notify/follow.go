package notify

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

const (
	// pageSize is how many events are looked at in one go.
	pageSize = 200
	// storePassed is after how many events without anything to tell the place is
	// stored, so that the next start need not read them again.
	storePassed = 5000
	// stopGrace is how long a try may go on after the stop.
	stopGrace = 3 * time.Second
	// failurePause is the pause after the store has failed.
	failurePause = 10 * time.Second
	// On a database that other hubs use too, a signal may get lost, and an event may be
	// held back by a transaction before it. So it looks again, less and less often.
	firstLook, lastLook = time.Second, 5 * time.Minute
)

// follower follows the record for one target.
type follower struct {
	Config
	key    string
	target Target
	hub    string // who holds the lease
	log    *slog.Logger
	sender sender
	stop   func()
	begin  func(context.Context) error

	// stored is the place in the store as it was last read. Between it and passed is
	// nothing to tell.
	stored, passed string
	skipped        int
	settled        parley.EventID // has waited for Settle
}

const idle time.Duration = -1

func (f *follower) run(ctx context.Context) {
	written, stop := f.Store.Bus().Watch(wake.Signal{Topic: wake.Events, ID: int64(f.Team.ID)})
	defer stop()
	look := firstLook
	for ctx.Err() == nil {
		wait, err := f.step(ctx)
		if err != nil && ctx.Err() == nil {
			f.log.Warn("people could not be told what waits for them; it is tried again", "error", err)
			wait = failurePause
		}
		if wait != idle {
			pause(ctx, wait, nil)
			continue
		}
		again := look
		if !f.Store.Shared() {
			again = idle
		}
		if pause(ctx, again, written) {
			look = firstLook
			pause(ctx, f.Timing.Settle, nil)
		} else {
			look = min(2*look, lastLook)
		}
	}
}

// pause waits for a time, or without end if it is idle. It reports whether early came
// first.
func pause(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	var over <-chan time.Time
	if d != idle {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-over:
	case <-early:
		return true
	}
	return false
}

// finding is the first event that has something to tell.
type finding struct {
	now     parley.Micros
	place   store.Telling
	begun   bool
	event   parley.Event
	notices []notice
	next    string // the place after everything that was looked at
	looked  int
	more    bool // there may be more events
}

// step tells of one event. It returns how long to wait before the next step.
func (f *follower) step(ctx context.Context) (time.Duration, error) {
	found, err := f.look(ctx)
	switch {
	case err != nil:
		return 0, err
	case !found.begun:
		return 0, f.begin(ctx) // it could not when it was set
	case len(found.notices) == 0:
		return f.pass(ctx, found)
	}
	if wait := f.wait(found); wait > 0 {
		return wait, nil
	}
	if mine, err := f.claim(ctx, found.place); err != nil || !mine {
		return 0, err
	}
	return 0, f.tell(ctx, found)
}

// look reads the record up to the first event that has something to tell.
func (f *follower) look(ctx context.Context) (found finding, err error) {
	err = f.Store.View(ctx, func(tx *store.Tx) error {
		found = finding{now: tx.Now}
		var err error
		found.place, err = tx.Telling(f.Team.ID, f.key)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		found.begun = true
		from := found.place.Cursor
		if from == f.stored {
			from = f.passed
		}
		page, next, err := tx.EventsOf(store.EventFilter{Team: f.Team.ID, Kinds: told}, from, pageSize)
		if err != nil || len(page) == 0 {
			found.next = next
			return err
		}
		found.next, found.looked, found.more = next, len(page), len(page) == pageSize
		r := reader{follower: f, tx: tx}
		if r.people, err = tx.People(f.Team.ID); err != nil {
			return err
		}
		return r.first(page, &found)
	})
	if found.begun && found.place.Cursor != f.stored {
		f.stored, f.passed, f.skipped = found.place.Cursor, found.place.Cursor, 0
	}
	return found, err
}

// pass remembers that there is nothing to tell up to here, and now and then stores it.
func (f *follower) pass(ctx context.Context, found finding) (time.Duration, error) {
	f.passed = found.next
	f.skipped += found.looked
	if f.skipped >= storePassed {
		f.skipped = 0
		err := f.change(ctx, func(t *store.Telling, now parley.Micros) bool {
			if t.Cursor != found.place.Cursor || t.LeaseUntil > now {
				return false
			}
			t.Cursor = f.passed
			return true
		})
		if err != nil {
			return 0, err
		}
	}
	if found.more {
		return 0, nil
	}
	return idle, nil
}

// wait is how long to wait before telling: until the next try is due, while another hub
// tells, or a moment for somebody to see it by themselves.
func (f *follower) wait(found finding) time.Duration {
	p := found.place
	if d := p.Due.Until(found.now); d > 0 {
		return d
	}
	if d := p.LeaseUntil.Until(found.now); d > 0 && f.Store.Shared() && p.Holder != f.hub {
		return d
	}
	if d := found.event.At.Add(f.Timing.Settle).Until(found.now); d > 0 && f.settled != found.event.ID {
		f.settled = found.event.ID // once, since time may stand still
		return d
	}
	return 0
}

// claim takes the lease, if the place is still as it was read.
func (f *follower) claim(ctx context.Context, read store.Telling) (mine bool, err error) {
	err = f.change(ctx, func(t *store.Telling, now parley.Micros) bool {
		mine = *t == read
		t.Holder, t.LeaseUntil = f.hub, now.Add(f.Timing.Lease)
		return mine
	})
	return mine, err
}

// tell sends the notices of an event, one after the other, and stores each outcome
// before the next.
func (f *follower) tell(ctx context.Context, found finding) error {
	for i, n := range found.notices {
		failed := f.send(ctx, n)
		if failed != nil && ctx.Err() != nil { // the hub stops: what became of it is not known
			_, err := f.note(ctx, func(t *store.Telling, _ parley.Micros) { t.Holder, t.LeaseUntil = "", 0 })
			return err
		}
		last := i == len(found.notices)-1
		held, err := f.note(ctx, func(t *store.Telling, now parley.Micros) {
			if failed != nil && !f.giveUp(t, now, found.event, failed) {
				f.putOff(t, now, found.event, failed)
				return
			}
			f.moveOn(t, now, found.event, n, last, failed)
		})
		if failed != nil {
			f.logFailure(held, n, failed)
		}
		if err != nil || failed != nil || held.Holder != f.hub {
			return err
		}
	}
	return nil
}

func (f *follower) send(ctx context.Context, n notice) error {
	body, err := json.Marshal(n.Notice)
	if err != nil {
		return err
	}
	// A hub that stops lets it come to its end, if that is soon.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.Timing.Limit)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		pause(limited, stopGrace, nil)
		cancel()
	})()
	return f.sender.send(limited, n.ID, body)
}

// giveUp reports whether a failed notice is not tried again: it is too old, or the
// target has refused it so often that the next one should have its chance.
func (f *follower) giveUp(t *store.Telling, now parley.Micros, e parley.Event, failed error) bool {
	return now.Since(e.At) > f.Timing.MaxAge || isRefusal(failed) && t.Event == e.ID && t.Refusals >= len(f.Timing.Pauses)
}

// putOff has an event tried again.
func (f *follower) putOff(t *store.Telling, now parley.Micros, e parley.Event, failed error) {
	if t.Event != e.ID {
		t.Event, t.Told, t.Tries, t.Refusals = e.ID, 0, 0, 0
	}
	if isRefusal(failed) {
		t.Refusals++
	}
	t.Due = now.Add(f.Timing.Pauses[min(t.Tries, len(f.Timing.Pauses)-1)])
	t.Tries++
	t.Problem, t.Holder, t.LeaseUntil = failed.Error(), "", 0
}

// moveOn goes to the next person, or past the event after the last one.
func (f *follower) moveOn(t *store.Telling, now parley.Micros, e parley.Event, n notice, last bool, failed error) {
	t.Event, t.Told, t.Tries, t.Refusals, t.Due, t.Problem = e.ID, n.person, 0, 0, 0, ""
	t.LeaseUntil = now.Add(f.Timing.Lease)
	if last {
		t.Cursor, t.Event, t.Told = e.Cursor, 0, 0
	}
	if failed != nil {
		t.GivenUp++
		t.GivenUpAt, t.Problem = now, failed.Error()
	}
	if last || failed != nil {
		t.Holder, t.LeaseUntil = "", 0
	}
}

// logFailure logs the first failure of a notice, and that it was given up.
func (f *follower) logFailure(t store.Telling, n notice, failed error) {
	switch {
	case t.Tries == 1:
		f.log.Warn("a person could not be told; it is tried again", "id", n.ID, "person", n.Person, "problem", failed.Error())
	case t.Tries == 0:
		f.log.Error("a notice was given up", "id", n.ID, "person", n.Person, "problem", failed.Error())
	}
}

// note stores an outcome if the lease is still held, and returns the place as it is then.
// It insists for as long as the lease lasts, even if the hub stops: what was sent and not
// noted is sent again.
func (f *follower) note(ctx context.Context, fn func(t *store.Telling, now parley.Micros)) (place store.Telling, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.Timing.Lease)
	defer cancel()
	for {
		err = f.change(ctx, func(t *store.Telling, now parley.Micros) bool {
			held := t.Holder == f.hub
			if held {
				fn(t, now)
			}
			place = *t
			return held
		})
		if err == nil || ctx.Err() != nil {
			return place, err
		}
		pause(ctx, time.Second, nil)
	}
}

// change locks the place and stores what fn makes of it, if fn says so.
func (f *follower) change(ctx context.Context, fn func(t *store.Telling, now parley.Micros) bool) error {
	return f.Store.Update(ctx, func(tx *store.Tx) error {
		t, err := tx.LockTelling(f.Team.ID, f.key)
		if err == nil && fn(&t, tx.Now) {
			tx.UpdateTelling(t)
		}
		return err
	})
}
