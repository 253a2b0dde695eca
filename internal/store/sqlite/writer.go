package sqlite

import (
	"runtime"
	"slices"
	"sync"

	"parley/internal/store"
)

// maxBatch limits how many callers share a commit, and so how long the first of them
// waits for the last.
const maxBatch = 256

// writer owns the only connection that writes. Callers hand in closures. The writer
// runs all that are waiting in one transaction and commits once, so that they share
// the cost of reaching stable storage.
//
// Closures check before they write. One that refuses has therefore usually written
// nothing, and the others are unaffected. If one fails after writing, or the engine
// fails, the whole batch is rolled back and run again with a savepoint around each
// closure. A caller's context never reaches the connection: interrupting one
// statement would end everyone's transaction.
type writer struct {
	conn   *conn
	clock  *store.Clock
	syncer *syncer
	checks bool // whether what it remembers is what is stored, for tests

	mu      sync.RWMutex // held for reading while sending on queue
	stopped bool
	queue   chan *request
	done    chan struct{}
}

type request struct {
	fn   func(*store.Tx) error
	wipe bool // what it and the rest of its batch overwrite or delete
	tx   *store.Tx
	err  error
	done chan struct{}
}

func newWriter(c *conn, clock *store.Clock, s *syncer) *writer {
	return &writer{conn: c, clock: clock, syncer: s, queue: make(chan *request, maxBatch), done: make(chan struct{})}
}

func (w *writer) do(fn func(*store.Tx) error) error { return w.hand(fn, false) }

func (w *writer) hand(fn func(*store.Tx) error, wipe bool) error {
	r := &request{fn: fn, wipe: wipe, done: make(chan struct{})}
	w.mu.RLock()
	if w.stopped {
		w.mu.RUnlock()
		return errClosed
	}
	w.queue <- r
	w.mu.RUnlock()
	<-r.done
	return r.err
}

// stop finishes what was handed in and has it stored, then closes the connection.
func (w *writer) stop() {
	w.mu.Lock()
	w.stopped = true
	close(w.queue)
	w.mu.Unlock()
	<-w.done
	w.syncer.stop()
	w.conn.close()
}

func (w *writer) run() {
	defer close(w.done)
	batch := make([]*request, 0, maxBatch)
	for r := range w.queue {
		batch = append(batch[:0], r)
		runtime.Gosched() // callers of the last batch may have more to hand in
		batch = w.drain(batch)
		if w.syncer.broken() == nil {
			w.commit(batch)
		}
		if w.checks {
			w.check()
		}
		w.syncer.finish(batch)
	}
}

// drain adds what else is waiting now.
func (w *writer) drain(batch []*request) []*request {
	for len(batch) < maxBatch {
		select {
		case r, ok := <-w.queue:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

func (w *writer) commit(batch []*request) {
	if slices.ContainsFunc(batch, func(r *request) bool { return r.wipe }) {
		w.conn.err = nil
		w.conn.exec("PRAGMA secure_delete = ON")
		defer w.conn.exec("PRAGMA secure_delete = OFF")
	}
	if w.runShared(batch) {
		return
	}
	w.runSeparately(batch)
}

// runShared runs the batch without savepoints. It returns false, with nothing stored,
// if the batch must run again with them.
func (w *writer) runShared(batch []*request) bool {
	c := w.conn
	c.err = nil
	c.exec("BEGIN IMMEDIATE")
	wrote := false
	for _, r := range batch {
		w.call(r)
		if c.err != nil || r.err != nil && r.tx.Wrote() {
			w.conn.rollback()
			return false
		}
		wrote = wrote || r.tx.Wrote()
	}
	if !wrote {
		c.leave() // what was read stays true
		return true
	}
	w.store()
	if c.err != nil {
		w.conn.rollback()
		return false
	}
	return true
}

// store stores what waits, and commits.
func (w *writer) store() {
	c := w.conn
	c.flushAll()
	steps := c.pass()
	if c.err != nil {
		return
	}
	if err := w.syncer.commit(func() error { c.exec("COMMIT"); return c.err }); err == nil {
		c.tail.committed(steps)
	}
}

// runSeparately runs each closure under its own savepoint, so that a failure affects
// only its own caller.
func (w *writer) runSeparately(batch []*request) {
	c := w.conn
	c.err = nil
	for _, r := range batch {
		r.err = nil // left from runShared
	}
	c.exec("BEGIN IMMEDIATE")
	if c.err != nil {
		w.failAll(batch)
		return
	}
	for i, r := range batch {
		before := len(c.tail.journal)
		c.exec("SAVEPOINT one")
		if c.err == nil {
			w.call(r)
		}
		if c.err == nil && r.err == nil {
			c.flushAll()
			c.exec("RELEASE one")
		}
		if c.err != nil {
			r.err = c.err
		}
		if r.err == nil {
			continue
		}
		c.forget(before)
		c.err = nil
		if c.raw.AutocommitEnabled() {
			// The error ended the transaction, and with it the work of the closures
			// before.
			c.forget(0)
			w.restart(batch, i)
			return
		}
		c.exec("ROLLBACK TO one")
		c.exec("RELEASE one")
	}
	w.store()
	if c.err != nil {
		w.failAll(batch)
	}
}

// restart runs each closure in its own transaction, after one of them failed in a way
// that ended the shared transaction.
func (w *writer) restart(batch []*request, failed int) {
	for i, r := range batch {
		if i == failed {
			continue
		}
		c := w.conn
		c.err = nil
		c.exec("BEGIN IMMEDIATE")
		w.call(r)
		if c.err == nil && r.err == nil {
			w.store()
		}
		if c.err != nil {
			r.err = c.err
		}
		if r.err != nil {
			w.conn.rollback()
		}
	}
}

func (w *writer) failAll(batch []*request) {
	err := w.conn.err
	w.conn.rollback()
	for _, r := range batch {
		if r.err == nil {
			r.err = err
		}
	}
}

// check panics if the writer remembers what is not so.
func (w *writer) check() {
	w.conn.err = nil
	if err := w.conn.hot.Check(w.conn); err != nil {
		panic(err)
	}
	if err := w.conn.checkLists(); err != nil {
		panic(err)
	}
}

func (w *writer) call(r *request) {
	r.tx = store.NewTx(w.conn, w.clock)
	r.err = store.Call(r.fn, r.tx)
}
