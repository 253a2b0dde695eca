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

// Steps are followed as events are: one goroutine a team reads and decodes for all who
// follow, waits for nobody, and drops whoever does not keep up. See feed.go.

// foreignPause is how long the steps of other hubs may go unnoticed. Those of this one
// are told of by a signal.
const foreignPause = 500 * time.Millisecond

// stepGap is how long a feed pauses after reading, so that it reads many steps at once when
// many are stored. Who looks on does not notice, and the turns do not pay for each step.
const stepGap = 50 * time.Millisecond

// stepFeeds are those of all teams whose steps somebody follows.
type stepFeeds struct {
	mu sync.Mutex
	of map[parley.TeamID]*stepFeed
}

// stepFeed reads the steps of one team. It runs as long as it has members.
type stepFeed struct {
	s     *Service
	team  parley.TeamID
	ready chan struct{} // closed once the feed knows where it begins
	done  chan struct{} // closed once it has ended
	stop  context.CancelFunc

	mu sync.Mutex
	// members are those who follow, by the root of the tree that they want; 0 are those
	// who want all.
	members map[parley.TaskID]map[*stepMember]struct{}
	count   int
	ended   bool // nobody joins any more
}

// stepMember is one who follows.
type stepMember struct {
	filter  store.StepFilter
	root    parley.TaskID
	rows    chan *shownRow
	dropped bool        // rows is closed; guarded by the feed's mu
	stale   atomic.Bool // what waits must not be used, since it was changed meanwhile
}

// shownRow is a stored row with the steps that people read of it.
type shownRow struct {
	store.StepRow
	parts []Step
}

// stepRows reads rows after a cursor.
func (s *Service) stepRows(tx *store.Tx, f store.StepFilter, c store.StepCursor, limit int) ([]*shownRow, error) {
	rows, err := tx.StepsAfter(f, c, limit)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	shown, err := s.show(tx, rows)
	if err != nil {
		return nil, err
	}
	list := make([]*shownRow, len(rows))
	for i := range rows {
		list[i] = &shownRow{StepRow: rows[i], parts: shown[i]}
		list[i].Content = nil // what is read of it is in the parts
	}
	return list, nil
}

// join adds a member to the feed of its team, and starts it for the first one.
func (fs *stepFeeds) join(s *Service, filter store.StepFilter, root parley.TaskID) (*stepFeed, *stepMember) {
	m := &stepMember{filter: filter, root: root, rows: make(chan *shownRow, feedRoom)}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.of[filter.Team]
	if f == nil || !f.add(m) {
		f = &stepFeed{s: s, team: filter.Team, ready: make(chan struct{}), done: make(chan struct{}), members: map[parley.TaskID]map[*stepMember]struct{}{}}
		f.add(m)
		if fs.of == nil {
			fs.of = map[parley.TeamID]*stepFeed{}
		}
		fs.of[filter.Team] = f
		ctx, stop := context.WithCancel(context.Background())
		f.stop = stop
		go f.run(ctx)
	}
	return f, m
}

// leave removes a member. The last one ends the feed, and waits until it has ended.
func (fs *stepFeeds) leave(f *stepFeed, m *stepMember) {
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

func (f *stepFeed) add(m *stepMember) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return false
	}
	if f.members[m.root] == nil {
		f.members[m.root] = map[*stepMember]struct{}{}
	}
	f.members[m.root][m] = struct{}{}
	f.count++
	return true
}

// remove reports whether m was the last.
func (f *stepFeed) remove(m *stepMember) (last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(m)
	f.count--
	f.ended = f.ended || f.count == 0
	return f.count == 0
}

// drop hands a member nothing more. The caller holds the lock.
func (f *stepFeed) drop(m *stepMember) {
	if m.dropped {
		return
	}
	m.dropped = true
	close(m.rows)
	delete(f.members[m.root], m)
	if len(f.members[m.root]) == 0 {
		delete(f.members, m.root)
	}
}

// dropAll drops everybody.
func (f *stepFeed) dropAll(stale bool) {
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
func (f *stepFeed) run(ctx context.Context) {
	defer close(f.done)
	changed := make(chan struct{}, 1)
	poke := func(int64) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	bus := f.s.store.Bus()
	defer bus.Listen(wake.Steps, poke)()
	defer bus.Listen(wake.Redacted, func(int64) { f.dropAll(true) })()
	longest := maxPause
	if f.s.store.Shared() {
		longest = foreignPause
	}
	cursor, err := f.begin(ctx)
	close(f.ready)
	wait := firstPause
	for err == nil {
		var n int
		if n, cursor, err = f.read(ctx, cursor); n > 0 {
			wait = firstPause
		}
		if n < stepPage && err == nil {
			pause(ctx, nil, stepGap)
			if pause(ctx, changed, wait) {
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

// begin finds the present.
func (f *stepFeed) begin(ctx context.Context) (c store.StepCursor, err error) {
	err = f.s.store.View(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.LatestStep()
		return err
	})
	return c, err
}

// read hands on one page and returns how many rows it had.
func (f *stepFeed) read(ctx context.Context, c store.StepCursor) (n int, next store.StepCursor, err error) {
	var rows []*shownRow
	err = f.s.store.View(ctx, func(tx *store.Tx) (err error) {
		rows, err = f.s.stepRows(tx, store.StepFilter{Team: f.team}, c, stepPage)
		return err
	})
	if err != nil || len(rows) == 0 {
		return 0, c, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, row := range rows {
		f.hand(row, 0)
		f.hand(row, row.Root)
	}
	return len(rows), rows[len(rows)-1].Cursor, nil
}

// hand gives a row to the members who want its tree, or all. The caller holds the lock.
func (f *stepFeed) hand(row *shownRow, root parley.TaskID) {
	for m := range f.members[root] {
		if !m.filter.Matches(f.team, &row.StepRow) {
			continue
		}
		select {
		case m.rows <- row:
		default:
			f.drop(m)
		}
	}
}
