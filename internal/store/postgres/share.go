package postgres

import (
	"context"
	"runtime"
	"sync"

	"parley/internal/store"
)

// Where many callers write at once, most of what a transaction costs is not its rows: the
// round trips, the statements, the commit and the waking of processes on both sides. So
// what many closures do is done in one transaction, a batch: all of them read in one
// round trip, and all of them write and commit in another. ADR 64 says what makes this
// safe; the rules are in member.go.
//
// A closure that cannot be part of a batch, or whose batch fails, runs in a transaction of
// its own as if there had been none.

const (
	// defaultCrowd is how many transactions run beside each other before more are shared.
	// Fewer are done sooner by themselves.
	defaultCrowd = 8
	// laneCount is how many batches are under way at once: while one is being committed
	// the next can read.
	laneCount = 2
	// maxMembers is how many closures a batch has at most.
	maxMembers = 64
)

// lanes are the closures that wait for a batch, and the goroutines that run batches. A
// lane ends when nothing waits.
type lanes struct {
	mu      sync.Mutex
	waiting []*member
	running int
}

// share has fn run in a batch. If it could not be, it must run by itself, and done is
// false.
func (s *Store) share(ctx context.Context, fn func(*store.Tx) error) (done bool, err error) {
	m := &member{fn: fn, recent: &s.recent, ended: make(chan struct{})}
	if s.lanes.add(m) {
		go s.runLane()
	}
	select {
	case <-m.ended:
	case <-ctx.Done():
		if m.leave() {
			return true, ctx.Err()
		}
		<-m.ended
	}
	return !m.alone, m.result
}

// add lets a member wait. It reports whether a lane has to be started.
func (l *lanes) add(m *member) (start bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, m)
	if l.running == laneCount {
		return false
	}
	l.running++
	return true
}

// take gives a lane its next members; none ends it.
func (l *lanes) take() []*member {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), maxMembers)
	list := l.waiting[:n:n]
	if l.waiting = l.waiting[n:]; n == 0 {
		l.running--
		l.waiting = nil
	}
	return list
}

func (s *Store) runLane() {
	for {
		runtime.Gosched() // lets those in who were just told of a commit
		list := s.lanes.take()
		if len(list) == 0 {
			return
		}
		b := batch{store: s}
		b.run(list)
	}
}

// The states of a member.
const (
	waits int32 = iota
	entered
	left // its caller has given up
)

// batch is one transaction with the closures of several callers. It and its members run
// in one goroutine, in turns.
type batch struct {
	store   *Store
	members []*member
	conn    *conn
	locked  map[rowKey]*member // rows, and who read them to change them
}

// run ends each of those who wait, one way or another. They enter when there is a
// connection: until then their callers can give up.
func (b *batch) run(waiting []*member) {
	defer b.end()
	if len(waiting) < b.store.leastMembers() {
		b.enter(waiting)
		b.dismiss()
		return
	}
	c, release, err := b.store.acquire(context.Background(), beginUpdate, nil)
	b.enter(waiting)
	if err != nil {
		b.dismiss() // each says what is wrong, and waits for as long as its caller likes
		return
	}
	defer release()
	b.conn, b.locked = c, map[rowKey]*member{}
	c.push(request{sql: planByKey})
	b.read()
	b.write()
}

// enter takes in those who have not given up.
func (b *batch) enter(waiting []*member) {
	for _, m := range waiting {
		if m.enter() {
			b.members = append(b.members, m)
		}
	}
}

// leastMembers is how many make a batch: one is done sooner by itself.
func (s *Store) leastMembers() int {
	if s.crowd == 0 {
		return 1
	}
	return 2
}

// dismiss sends all members away to run by themselves.
func (b *batch) dismiss() {
	for _, m := range b.members {
		m.dismiss()
		m.resume()
	}
}

// end tells the callers. Signals were published before.
func (b *batch) end() {
	for _, m := range b.members {
		close(m.ended)
	}
}

// read lets the members go on from read to read until all have ended. What they ask for
// meanwhile is read in one round trip. Who missed a row because another transaction holds
// it is sent away. A panic over what was read is left to the one whose it is, too.
func (b *batch) read() {
	defer func() {
		if recover() != nil {
			b.dismiss()
		}
	}()
	for _, m := range b.members {
		m.begin(b)
	}
	for {
		reads := gatherReads(b.members)
		if len(reads) == 0 {
			return
		}
		b.ask(reads)
		b.ask(gatherMissing(reads))
		if b.conn.err != nil {
			b.dismiss()
			return
		}
		for _, m := range b.members {
			m.resume()
		}
	}
}

func (b *batch) ask(reads []*gathered) {
	for _, r := range reads {
		b.conn.push(b.request(r))
	}
	if len(reads) > 0 {
		b.conn.flush()
	}
}

// request is a statement of several members. Those whose row another member of the batch
// has read to change it are sent away: they have to see what that one stores.
func (b *batch) request(g *gathered) request {
	sql, args := b.conn.session.gatheredSQL(g)
	return request{sql: sql, args: args, row: func(r store.Row) {
		one := &g.rows[r.Int(0)-1]
		one.found = true
		if g.shape.locks != "" && !b.lock(rowKey{table: g.shape.locks, a: r.Int(1)}, one.member) {
			one.member.dismiss()
		}
		if one.row != nil && one.member.err == nil {
			one.row(after{r})
		}
	}}
}

func (b *batch) lock(k rowKey, m *member) bool {
	if by := b.locked[k]; by != nil && by != m {
		return false
	}
	b.locked[k] = m
	return true
}

// write stores what the members wrote, and commits. If that fails, they all run by
// themselves: one of them is to blame, and nobody knows which.
func (b *batch) write() {
	c, wrote := b.conn, false
	for _, m := range b.members {
		wrote = wrote || m.stores()
	}
	if !wrote || c.err != nil {
		c.rollback()
	} else {
		for _, g := range gatherWrites(b.members, b.locked) {
			sql, args := c.session.gatheredSQL(g)
			c.push(request{sql: sql, args: args})
		}
		if err := c.commit(); err != nil && !unknownOutcome(err) {
			c.rollback()
		}
	}
	for _, m := range b.members {
		b.finish(m)
	}
}

// finish publishes what a member did, and sets what its caller is told.
func (b *batch) finish(m *member) {
	err := b.conn.err
	switch {
	case m.alone || m.result != nil:
		return // its own affair
	case err != nil && !unknownOutcome(err):
		m.alone = true
		return
	case err != nil:
		m.result = describe(asFault(err))
	default:
		m.tx.Committed()
	}
	// If the outcome is unknown, the hint does no harm, and nobody else would give it.
	b.store.bus.Publish(m.tx.Signals())
	b.store.notifier.add(m.tx.Signals())
}
