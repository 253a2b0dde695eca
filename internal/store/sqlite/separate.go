package sqlite

// runSeparately runs each closure under its own savepoint, so that a failure affects
// only its own caller.
func (w *writer) runSeparately(batch []*request) {
	c := w.conn
	c.err = nil
	for _, r := range batch {
		r.err = nil // left from the first try
	}
	c.begin()
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
			c.open = false
			w.restart(batch, i)
			return
		}
		c.exec("ROLLBACK TO one")
		c.exec("RELEASE one")
	}
	c.commit()
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
		c.begin()
		w.call(r)
		if c.err == nil && r.err == nil {
			c.commit()
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
