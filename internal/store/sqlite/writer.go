package sqlite

import (
	"runtime"
	"sync"

	"parley/internal/store"
	"parley/internal/wake"
)

// maxBatch limits how many callers share a commit, and so how long the first of them
// waits for the last.
const maxBatch = 256

// writer owns the only connection that writes. Callers hand in closures. The writer
// runs all that are waiting in one transaction and commits once, so that they share
// the cost of reaching stable storage. While a larger batch is being stored, the closures of
// the next one run already (flight.go).
//
// Closures check before they write. One that refuses has therefore usually written
// nothing, and the others are unaffected. If one fails after writing, or the engine
// fails, the whole batch is rolled back and run again with a savepoint around each
// closure. A caller's context never reaches the connection: interrupting one
// statement would end everyone's transaction.
type writer struct {
	conn    *conn
	clock   *store.Clock
	publish func([]wake.Signal)
	checks  bool // whether what it remembers is what is stored, for tests

	mu      sync.RWMutex // held for reading while sending on queue
	stopped bool
	queue   chan *request
	done    chan struct{}

	flies   bool // batches are stored in flight; ADR 69 says why they are not yet
	flights chan *flight
	alone   *request // it came while a batch ran of which it cannot be a part
}

type request struct {
	fn   func(*store.Tx) error
	wipe bool // what it overwrites or deletes
	tx   *store.Tx
	err  error
	done chan struct{}
}

func newWriter(c *conn, clock *store.Clock, publish func([]wake.Signal)) *writer {
	return &writer{conn: c, clock: clock, publish: publish, queue: make(chan *request, maxBatch), done: make(chan struct{}), flights: make(chan *flight)}
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

// stop finishes what was handed in, then closes the connection.
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
	var flying sync.WaitGroup
	flying.Go(w.fly)
	defer flying.Wait()
	defer close(w.flights)
	for {
		r, ok := w.next()
		if !ok {
			return
		}
		w.serve(r)
	}
}

// next waits for a request that begins a batch. It is false when no more come and all are
// stored.
func (w *writer) next() (r *request, ok bool) {
	if r, w.alone = w.alone, nil; r != nil {
		return r, true
	}
	for w.conn.flight != nil {
		select {
		case r, ok = <-w.queue:
			if ok {
				return r, true
			}
			w.land() // the last one
		case <-w.conn.flight.landed:
			w.land()
			w.check()
		}
	}
	r, ok = <-w.queue
	return r, ok
}

// serve runs a batch that begins with a request, and has it stored.
func (w *writer) serve(first *request) {
	if first.wipe {
		w.erase(first)
		return
	}
	c := w.conn
	c.err = nil
	batch, ran, wrote := make([]*request, 0, 64), true, false
	for r := first; r != nil; r = w.more(len(batch)) {
		batch = append(batch, r)
		if ran {
			w.call(r)
			ran = c.err == nil && (r.err == nil || !r.tx.Wrote())
			wrote = wrote || r.tx.Wrote()
		}
	}
	landed := w.land()
	switch {
	case !landed: // they may have seen what is not stored
		w.runSeparately(batch)
	case !ran:
		c.rollback()
		w.runSeparately(batch)
	case !wrote:
		c.leave() // what was read stays true
	case w.flies && len(batch) >= flightSize && !c.passDue():
		w.launch(batch)
		return
	default:
		w.commit(batch)
	}
	w.check()
	w.answer(batch)
}

// more is the next request for a batch that has n; nil when it is time to store it. While
// another batch is in flight there is time for more.
func (w *writer) more(n int) *request {
	if n == maxBatch || w.alone != nil {
		return nil
	}
	if n == 1 && w.conn.flight == nil {
		runtime.Gosched() // callers of the last batch may have more to hand in
	}
	select {
	case r := <-w.queue:
		return w.admit(r)
	default:
	}
	if f := w.conn.flight; f != nil {
		select {
		case r := <-w.queue:
			return w.admit(r)
		case <-f.landed:
		}
	}
	return nil
}

// admit lets a request into a batch, unless it must be alone.
func (w *writer) admit(r *request) *request {
	if r != nil && r.wipe {
		w.alone = r
		return nil
	}
	return r
}

// erase runs a request whose traces are wiped out.
func (w *writer) erase(r *request) {
	w.land()
	w.conn.leave() // also a transaction that could not be ended before
	w.conn.exec("PRAGMA secure_delete = ON")
	defer w.conn.exec("PRAGMA secure_delete = OFF")
	batch := []*request{r}
	w.runSeparately(batch)
	w.check()
	w.answer(batch)
}

// commit stores a batch that has run.
func (w *writer) commit(batch []*request) {
	w.conn.commit()
	if w.conn.err != nil {
		w.conn.rollback()
		w.runSeparately(batch)
	}
}

// answer tells callers how their requests have ended.
func (w *writer) answer(batch []*request) {
	for _, r := range batch {
		if r.err == nil {
			r.tx.Committed()
			w.publish(r.tx.Signals())
		}
		close(r.done)
	}
}

// check panics if the writer remembers what is not so.
func (w *writer) check() {
	if !w.checks {
		return
	}
	w.conn.err = nil
	defer w.conn.leave()
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
