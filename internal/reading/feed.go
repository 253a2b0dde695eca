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

// Many may follow the record of a team at once, or the steps of its turns, and each is
// interested in little of it. A thousand of them that read the store after every event
// would leave nobody else a turn. So one goroutine reads for all, the feed, and hands
// each item to those whose filter it passes.
//
// A feed waits for nobody. A member that does not keep up is dropped: its channel is
// closed after what is in it, which has no gaps, and it reads for itself until it has
// caught up and joins again. A feed that cannot read drops all, and each finds the error
// by itself.

// feedRoom is how many items wait for a member.
const feedRoom = 128

// source is what a feed reads: items of T, which members pick by a key of K before they
// look at them.
type source[K comparable, T any] interface {
	// watch signals news, until the function is called.
	watch() (news <-chan struct{}, end func())
	// pauses are how long to wait after reading, so that many items are read at once
	// when many are stored, and how long to wait at most for news. The first item after
	// a quiet moment is read at once.
	pauses() (gap, longest time.Duration)
	// begin finds the present.
	begin(ctx context.Context) error
	// read returns the next page, and whether it was full.
	read(ctx context.Context) (page []T, full bool, err error)
	// keys calls give with each key that members have who may want an item.
	keys(item T, give func(K))
}

// feeds are those of all teams that somebody follows.
type feeds[K comparable, T any] struct {
	mu sync.Mutex
	of map[parley.TeamID]*feed[K, T]
}

// feed reads for one team. It runs as long as it has members.
type feed[K comparable, T any] struct {
	team   parley.TeamID
	source source[K, T]
	ready  chan struct{} // closed once the feed knows where it begins
	done   chan struct{} // closed once it has ended
	stop   context.CancelFunc

	mu      sync.Mutex
	members map[K]map[*member[K, T]]struct{}
	count   int
	ended   bool // nobody joins any more
}

// member is one who follows.
type member[K comparable, T any] struct {
	key     K // the zero one is that of those who may want any item
	wants   func(T) bool
	items   chan T
	dropped bool        // items is closed; guarded by the feed's mu
	stale   atomic.Bool // what waits must not be used, since it was changed meanwhile
}

// join adds a member to the feed of a team, and starts it for the first one.
func (fs *feeds[K, T]) join(team parley.TeamID, st store.Store, src source[K, T], key K, wants func(T) bool) (*feed[K, T], *member[K, T]) {
	m := &member[K, T]{key: key, wants: wants, items: make(chan T, feedRoom)}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.of[team]
	if f == nil || !f.add(m) {
		f = &feed[K, T]{team: team, source: src, ready: make(chan struct{}), done: make(chan struct{}), members: map[K]map[*member[K, T]]struct{}{}}
		f.add(m)
		if fs.of == nil {
			fs.of = map[parley.TeamID]*feed[K, T]{}
		}
		fs.of[team] = f
		ctx, stop := context.WithCancel(context.Background())
		f.stop = stop
		go f.run(ctx, st.Bus())
	}
	return f, m
}

// leave removes a member. The last one ends the feed, and waits until it has ended.
func (fs *feeds[K, T]) leave(f *feed[K, T], m *member[K, T]) {
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

func (f *feed[K, T]) add(m *member[K, T]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return false
	}
	if f.members[m.key] == nil {
		f.members[m.key] = map[*member[K, T]]struct{}{}
	}
	f.members[m.key][m] = struct{}{}
	f.count++
	return true
}

// remove reports whether m was the last.
func (f *feed[K, T]) remove(m *member[K, T]) (last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(m)
	f.count--
	f.ended = f.ended || f.count == 0
	return f.count == 0
}

// drop hands a member nothing more. The caller holds the lock.
func (f *feed[K, T]) drop(m *member[K, T]) {
	if m.dropped {
		return
	}
	m.dropped = true
	close(m.items)
	delete(f.members[m.key], m)
	if len(f.members[m.key]) == 0 {
		delete(f.members, m.key)
	}
}

// dropAll drops everybody.
func (f *feed[K, T]) dropAll(stale bool) {
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
func (f *feed[K, T]) run(ctx context.Context, bus *wake.Bus) {
	defer close(f.done)
	news, end := f.source.watch()
	defer end()
	defer bus.Listen(wake.Redacted, func(int64) { f.dropAll(true) })()
	gap, longest := f.source.pauses()
	err := f.source.begin(ctx)
	close(f.ready)
	wait := firstPause
	for err == nil {
		var page []T
		var full bool
		if page, full, err = f.source.read(ctx); len(page) > 0 && err == nil {
			wait = firstPause
			f.hand(page)
		}
		if !full && err == nil {
			pause(ctx, nil, gap)
			if pause(ctx, news, wait) {
				wait = firstPause
			} else {
				wait = min(2*wait, longest)
			}
			err = ctx.Err()
		}
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	f.dropAll(false)
}

// hand gives each item of a page to the members who want it.
func (f *feed[K, T]) hand(page []T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range page {
		f.source.keys(item, func(key K) {
			for m := range f.members[key] {
				if !m.wants(item) {
					continue
				}
				select {
				case m.items <- item:
				default:
					f.drop(m)
				}
			}
		})
	}
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
