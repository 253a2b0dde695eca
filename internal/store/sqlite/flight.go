package sqlite

// Of the time that a batch takes, about half goes into its closures and half into storing
// what they wrote. Closures of contacts in ongoing conversations mostly use what the
// writer remembers (store.Hot), and what they write waits (later). They need no
// connection. So while a larger batch is being stored, in flight, by a goroutine that has the
// connection meanwhile, the closures of the next one run.
//
// A closure that needs the connection waits until the batch before has landed. If that has
// failed, whatever the next batch has done so far is dropped, since it may have seen what is not
// stored, and both are run again. Nobody is answered before all that he can have seen is
// stored.

// flightSize is how many requests a batch has at least that is stored in flight. For fewer
// the switch between goroutines costs more than it gains.
const flightSize = 4

// flight is a batch that is being stored.
type flight struct {
	batch   []*request
	later   *later
	journal []change // of the tail
	open    bool     // its transaction has begun
	err     error    // to be read when it has landed
	landed  chan struct{}
}

// launch has a batch stored while the next one runs.
func (w *writer) launch(batch []*request) {
	c := w.conn
	f := &flight{batch: batch, later: c.later, journal: c.tail.journal, open: c.open, landed: make(chan struct{})}
	c.later, c.tail.journal, c.open, c.flight = &later{}, nil, false, f
	w.flights <- f
}

// fly stores batches. The connection is its own while one is in flight.
func (w *writer) fly() {
	for f := range w.flights {
		if f.err = w.conn.store(f); f.err == nil {
			w.answer(f.batch)
		}
		close(f.landed)
	}
}

func (c *conn) store(f *flight) error {
	if !f.open {
		if err := c.control(beginBatch); err != nil {
			return err
		}
	}
	if err := c.flush(f.later, allTables); err != nil {
		return err
	}
	return c.control(commitBatch)
}

// land waits for the batch in flight. If it has failed, it runs again by itself, and land
// is false: whatever ran since has to run again too.
func (w *writer) land() bool {
	c := w.conn
	c.awaitFlight()
	f := c.failed
	if f == nil {
		return true
	}
	c.failed = nil
	c.rollback()
	c.tail.undo(f.journal)
	w.runSeparately(f.batch)
	w.answer(f.batch)
	return false
}

// awaitFlight waits for the batch in flight. After a failure the connection does nothing more
// until the writer has run that batch again.
func (c *conn) awaitFlight() {
	f := c.flight
	if f == nil {
		return
	}
	<-f.landed
	c.flight = nil
	if f.err != nil {
		c.failed, c.err = f, f.err
		return
	}
	c.tail.stored(f.journal, nil)
}
