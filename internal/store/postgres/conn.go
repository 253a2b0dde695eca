package postgres

import (
	"parley/internal/store"
)

const (
	// Row locks do the rest: a statement sees what was committed before it.
	beginUpdate = "BEGIN ISOLATION LEVEL READ COMMITTED"
	beginView   = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
)

// conn is one connection within one transaction. After the first error it
// does nothing more.
type conn struct {
	session *session
	ids     *sequences
	recent  *store.Recent
	begin   string
	times   *times    // nil: those of every connection
	queue   []request // not sent yet
	queued  bool      // BEGIN was queued
	open    bool      // BEGIN was sent
	err     error
}

var _ store.Conn = (*conn)(nil)

// Query sends the deferred statements and the queries in one round trip.
func (c *conn) Query(qs ...store.Query) error {
	for _, q := range qs {
		c.push(request{sql: q.SQL, args: q.Args, row: q.Row})
	}
	if len(qs) > 0 {
		c.flush()
	}
	return c.err
}

func (c *conn) Recent() *store.Recent { return c.recent }

// Hot is nil: other hubs may write to the same database.
func (c *conn) Hot() *store.Hot { return nil }

// Gathers is false: this transaction is one caller's.
func (c *conn) Gathers() bool { return false }

// Exec defers the statement.
func (c *conn) Exec(sql string, args ...any) {
	c.push(request{sql: sql, args: args})
}

func (c *conn) push(r request) {
	if !c.queued {
		c.queue = append(c.queue, request{sql: c.begin})
		c.queued = true
		if c.times != nil {
			c.queue = append(c.queue, request{sql: setTimes, args: []any{c.times.idle, c.times.wait}})
		}
	}
	c.queue = append(c.queue, r)
}

// setTimes holds for this transaction.
const setTimes = `SELECT set_config('idle_in_transaction_session_timeout', $1, true), set_config('lock_timeout', $2, true)`

func (c *conn) flush() {
	if c.err == nil {
		c.open = true
		if err := c.session.roundTrip(c.queue); err != nil {
			c.err = c.fault(err)
		}
	}
	clear(c.queue)
	c.queue = c.queue[:0]
}

// commit sends the deferred statements and ends the transaction. The server answers
// COMMIT with ROLLBACK if the transaction had failed before; that is an error like
// any other.
//
// The writes of a closure that never read are sent in one round trip without BEGIN
// and COMMIT, which is a transaction by itself: the server stores all of it or
// nothing. But the connection may have ended while it was idle, in the pool or within
// the transaction. If so, it is first tried with a statement that can safely be
// repeated, so that the outcome is known.
func (c *conn) commit() error {
	if !quiet(c.session.pg.Conn()) {
		if err := c.Query(store.Query{SQL: "SELECT 1"}); err != nil {
			return err
		}
	}
	if c.open {
		c.push(request{sql: "COMMIT", tag: "COMMIT"})
	} else {
		c.queue = c.queue[1:] // BEGIN
	}
	c.flush()
	if f, ok := c.err.(*fault); ok {
		f.committing = true
	}
	return c.err
}

// rollback ends the transaction if the server has one open. An error means that the
// connection is gone, and the transaction with it.
func (c *conn) rollback() {
	if c.session.pg.TxStatus() != 'I' && !c.session.pg.IsClosed() {
		_ = c.session.roundTrip([]request{{sql: "ROLLBACK"}})
	}
}

// NextID draws from the hub's block. Once that is used up, it fetches the next block
// on this connection: drawing from a sequence waits for nobody, so it is safe within
// a transaction even while others wait for the result.
func (c *conn) NextID(seq store.Seq) int64 {
	if c.err != nil {
		return 0
	}
	id, err := c.ids.draw(seq, c.fetchBlocks)
	if err != nil {
		c.err = c.fault(err)
	}
	return id
}

// fetchBlocks does not send the deferred statements: they may have to wait for a lock
// whose holder waits for this block.
func (c *conn) fetchBlocks(seq store.Seq, n int) (starts []int64, err error) {
	err = c.session.roundTrip([]request{{
		sql:  "SELECT nextval('" + store.SeqTables[seq] + "_id') FROM generate_series(1, $1)",
		args: []any{int64(n)},
		row:  func(r store.Row) { starts = append(starts, r.Int(0)) },
	}})
	return starts, err
}

func (c *conn) Engine() store.Engine { return store.PostgreSQL }

func (c *conn) fault(err error) error {
	return &fault{err: err, lost: c.session.pg.IsClosed()}
}
