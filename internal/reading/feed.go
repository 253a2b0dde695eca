package reading

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// Many may follow the record of a team at once, and each is interested in little of it. A
// thousand of them that read the store after every event would leave nobody else a
// turn. So one goroutine reads for all, the feed, and hands each event to those whose
// filter it passes.
//
// A feed waits for nobody. A member that does not keep up is dropped: its channel is
// closed after what is in it, which has no gaps, and it reads for itself until it has
// caught up and joins again. A feed that cannot read drops all, and each finds the error
// by itself.

const (
	// feedRoom is how many events wait for a member.
	feedRoom = 128
	// feedGap is how long a feed pauses after reading, so that it reads many events
	// at once when many happen. The first after a quiet moment is read at once.
	feedGap = 5 * time.Millisecond
)

// feeds are those of all teams that somebody follows.
type feeds struct {
	mu sync.Mutex
	of map[parley.TeamID]*feed
}

// feed reads the record of one team. It runs as long as it has members.
type feed struct {
	store store.Store
	team  parley.TeamID
	ready chan struct{} // closed once the feed knows where it begins
	done  chan struct{} // closed once it has ended
	stop  context.CancelFunc

	mu sync.Mutex
	// members are those who follow, by the participant that their events have to be
	// about; 0 are those who follow everybody.
	members map[parley.AgentID]map[*member]struct{}
	count   int
	ended   bool // nobody joins any more
}

// member is one who follows.
type member struct {
	filter  store.EventFilter
	events  chan *parley.Event
	dropped bool        // events is closed; guarded by the feed's mu
	stale   atomic.Bool // what waits must not be used, since it was changed meanwhile
}

// about is the participant that the events of a filter are about; 0 is anybody.
func about(f store.EventFilter) parley.AgentID {
	if f.Sees != 0 {
		return f.Sees
	}
	return f.Agent
}

// join adds a member to the feed of its team, and starts it for the first one.
func (fs *feeds) join(st store.Store, filter store.EventFilter) (*feed, *member) {
	m := &member{filter: filter, events: make(chan *parley.Event, feedRoom)}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.of[filter.Team]
	if f == nil || !f.add(m) {
		f = &feed{store: st, team: filter.Team, ready: make(chan struct{}), done: make(chan struct{}), members: map[parley.AgentID]map[*member]struct{}{}}
		f.add(m)
		if fs.of == nil {
			fs.of = map[parley.TeamID]*feed{}
		}
		fs.of[filter.Team] = f
		ctx, stop := context.WithCancel(context.Background())
		f.stop = stop
		go f.run(ctx)
	}
	return f, m
}

// leave removes a member. The last one ends the feed, and waits until it has ended.
func (fs *feeds) leave(f *feed, m *member) {
	fs.mu.Lock()
	last := f.remove(m)
	if last && fs.of[f.team] == f {
		delete(fs.of, f.team)
	}
	fs.mu.Unlock()
	if last {
		f.stop()
		<-f.done
	}
}

func (f *feed) add(m *member) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return false
	}
	of := about(m.filter)
	if f.members[of] == nil {
		f.members[of] = map[*member]struct{}{}
	}
	f.members[of][m] = struct{}{}
	f.count++
	return true
}

// remove reports whether m was the last.
func (f *feed) remove(m *member) (last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(m)
	f.count--
	f.ended = f.ended || f.count == 0
	return f.count == 0
}

// drop hands a member nothing more. The caller holds the lock.
func (f *feed) drop(m *member) {
	if m.dropped {
		return
	}
	m.dropped = true
	close(m.events)
	of := about(m.filter)
	delete(f.members[of], m)
	if len(f.members[of]) == 0 {
		delete(f.members, of)
	}
}

// dropAll drops everybody.
func (f *feed) dropAll(stale bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, members := range f.members {
		for m := range members {
			m.stale.Store(stale)
			f.drop(m)
		}
	}
}

// run reads until the context is done.
func (f *feed) run(ctx context.Context) {
	defer close(f.done)
	bus := f.store.Bus()
	changed, unwatch := bus.Watch(wake.Signal{Topic: wake.Events, ID: int64(f.team)})
	defer unwatch()
	defer bus.Listen(wake.Redacted, func(int64) { f.dropAll(true) })()
	cursor, err := f.begin(ctx)
	close(f.ready)
	wait := firstPause
	for err == nil {
		var n int
		if n, cursor, err = f.read(ctx, cursor); n > 0 {
			wait = firstPause
		}
		if n < eventPage && err == nil {
			pause(ctx, nil, feedGap)
			if pause(ctx, changed, wait) {
				wait = firstPause
			} else {
				wait = min(2*wait, maxPause)
			}
			err = ctx.Err()
		}
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	f.dropAll(false)
}

// pause waits for a signal. It reports false if the time was over first.
func pause(ctx context.Context, signal <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-signal:
		return true
	}
	return false
}

// begin finds the present.
func (f *feed) begin(ctx context.Context) (cursor string, err error) {
	err = f.store.View(ctx, func(tx *store.Tx) (err error) {
		cursor, err = tx.LatestEvent()
		return err
	})
	return cursor, err
}

// read hands on one page and returns how many events it had.
func (f *feed) read(ctx context.Context, cursor string) (n int, next string, err error) {
	var page []parley.Event
	err = f.store.View(ctx, func(tx *store.Tx) (err error) {
		page, next, err = tx.Events(f.team, cursor, eventPage)
		return err
	})
	if err != nil {
		return 0, cursor, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range page {
		e := &page[i]
		f.hand(e, 0)
		if e.Actor != 0 {
			f.hand(e, e.Actor)
		}
		if e.Target != 0 && e.Target != e.Actor {
			f.hand(e, e.Target)
		}
	}
	return len(page), next, nil
}

// hand gives an event to the members who follow a participant. The caller holds the
// lock.
func (f *feed) hand(e *parley.Event, of parley.AgentID) {
	for m := range f.members[of] {
		if !m.filter.Matches(*e) {
			continue
		}
		select {
		case m.events <- e:
		default:
			f.drop(m)
		}
	}
}
