package sqlite

import (
	"runtime"
	"slices"
	"sync"

	"parley/internal/store"
	"parley/internal/wake"
)

// maxBatch bounds how many callers share a commit, and so how long the first
// of them waits for the last.
const maxBatch = 256

// writer owns the only connection that writes. Callers hand in closures; the
// writer runs all that are waiting in one transaction and commits once, so
// that the cost of reaching stable storage is shared.
//
// Closures check before they write, so one that refuses has usually written
// nothing and the others are not concerned. If one fails after writing, or the
// engine fails, the whole batch is rolled back and run again with a savepoint
// around each. A caller's context never reaches the connection: interrupting
// a statement ends the transaction of everyone.
type writer struct {
	conn    *conn
	clock   *store.Clock
	publish func([]wake.Signal)

	mu      sync.RWMutex // held for reading while sending on queue
	stopped bool
	queue   chan *request
	done    chan struct{}
}

type request struct {
	fn   func(*store.Tx) error
	wipe bool // what it overwrites or deletes, and all others of its batch
	tx   *store.Tx
	err  error
	done chan struct{}
}

func newWriter(c *conn, clock *store.Clock, publish func([]wake.Signal)) *writer {
	return &writer{conn: c, clock: clock, publish: publish, queue: make(chan *request, maxBatch), done: make(chan struct{})}
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

// stop runs what was handed in, then closes the connection.
func (w *writer) stop() error {
	w.mu.Lock()
	w.stopped = true
	close(w.queue)
	w.mu.Unlock()
	<-w.done
	w.conn.close()
	return nil
}

func (w *writer) run() {
	defer close(w.done)
	batch := make([]*request, 0, maxBatch)
	for r := range w.queue {
		batch = append(batch[:0], r)
		runtime.Gosched() // those who were just told of the last batch may have more
		batch = w.drain(batch)
		w.commit(batch)
		for _, r := range batch {
			if r.err == nil {
				r.tx.Committed()
				w.publish(r.tx.Signals())
			}
			close(r.done)
		}
	}
}

// drain takes what else is waiting, without waiting for more.
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
	if w.together(batch) {
		return
	}
	w.apart(batch)
}

// together runs the batch without savepoints. It reports false, with nothing
// stored, if any of it must be run apart.
func (w *writer) together(batch []*request) bool {
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
		w.conn.rollback()
		return true
	}
	c.exec("COMMIT")
	if c.err != nil {
		w.conn.rollback()
		return false
	}
	return true
}

// apart runs each closure of the batch under its own savepoint, so that the
// failure of one is its own.
func (w *writer) apart(batch []*request) {
	c := w.conn
	c.err = nil
	for _, r := range batch {
		r.err = nil // of the run together
	}
	c.exec("BEGIN IMMEDIATE")
	if c.err != nil {
		w.failAll(batch)
		return
	}
	for i, r := range batch {
		c.exec("SAVEPOINT one")
		if c.err == nil {
			w.call(r)
		}
		if c.err == nil && r.err == nil {
			c.exec("RELEASE one")
		}
		if c.err != nil {
			r.err = c.err
		}
		if r.err == nil {
			continue
		}
		c.err = nil
		if c.raw.AutocommitEnabled() {
			// The error ended the transaction, so what came before is gone too.
			w.restart(batch, i)
			return
		}
		c.exec("ROLLBACK TO one")
		c.exec("RELEASE one")
	}
	c.exec("COMMIT")
	if c.err != nil {
		w.failAll(batch)
	}
}

// restart gives each closure a transaction of its own, after one of them
// failed in a way that took the shared transaction with it.
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
			c.exec("COMMIT")
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

func (w *writer) call(r *request) {
	r.tx = store.NewTx(w.conn, w.clock.Now())
	r.err = store.Call(r.fn, r.tx)
}
