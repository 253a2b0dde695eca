package postgres

import (
	"errors"
	"iter"
	"sync/atomic"

	"parley/internal/store"
)

// member is a closure in a batch, and the connection that it sees. The batch is one
// transaction, so the members have to be independent of each other:
//
//   - A member reads first and writes afterwards. What it reads is then never what another
//     one wrote, and if it fails, nothing of it was sent.
//   - It writes only rows that it has made or that it names by their key: statements with
//     the mark /*later*/, whose order among members does not matter.
//   - Of the statements that lock a row it uses only those that lock one row and give its
//     id first. A row that another transaction holds is passed over, so a batch never
//     waits for a lock that it reads with. A row that another member holds is noticed
//     (batch.lock).
//
// Whoever does anything else, or misses a row, is dismissed: its closure ends with an
// error, and runs again in a transaction of its own.
type member struct {
	fn     func(*store.Tx) error
	recent *store.Recent

	state  atomic.Int32
	ended  chan struct{} // closed when result and alone are set
	result error
	alone  bool // it has to run by itself

	// The rest belongs to the batch's goroutine.
	tx     *store.Tx
	batch  *batch
	next   func() (struct{}, bool) // lets the closure go on until it reads; nil once it has ended
	pause  func(struct{}) bool     // called by the closure
	reads  []store.Query           // what it waits for
	rounds int                     // how often it has read
	writes []write
	bytes  int   // of texts in them
	err    error // it is dismissed
}

type write struct {
	sql  string
	args []any
}

var _ store.Conn = (*member)(nil)

// errAlone is what a dismissed closure gets to see.
var errAlone = errors.New("this transaction runs again by itself")

// All others wait for a member that reads often or writes much.
const (
	maxRounds = 3
	maxBytes  = 32 << 10
)

// enter takes a member that waits into a batch, unless its caller has given up.
func (m *member) enter() bool { return m.state.CompareAndSwap(waits, entered) }

// leave takes it out, unless it is in a batch already.
func (m *member) leave() bool { return m.state.CompareAndSwap(waits, left) }

// begin runs the closure until it reads for the first time.
func (m *member) begin(b *batch) {
	m.batch, m.tx = b, store.NewTx(m, b.store.clock)
	m.next, _ = iter.Pull(func(pause func(struct{}) bool) {
		m.pause = pause
		m.result = store.Call(m.fn, m.tx)
	})
	m.resume()
}

// resume lets the closure go on until it reads again or ends.
func (m *member) resume() {
	m.reads = nil
	if m.next == nil {
		return
	}
	if _, more := m.next(); more {
		return
	}
	m.next = nil
	if m.err != nil {
		m.alone, m.result = true, nil
	}
}

func (m *member) dismiss() {
	m.err = errAlone
	if m.next == nil {
		m.alone, m.result = true, nil
	}
}

// stores reports whether the batch has to store something for it.
func (m *member) stores() bool { return !m.alone && m.result == nil && len(m.writes) > 0 }

// Query waits until the batch has read for all its members.
func (m *member) Query(qs ...store.Query) error {
	if m.err != nil || len(qs) == 0 {
		return m.err
	}
	m.rounds++
	if m.rounds > maxRounds || len(m.writes) > 0 {
		m.dismiss()
		return m.err
	}
	for _, q := range qs {
		if !shapeOf(q.SQL).reads || len(q.Args) == 0 {
			m.dismiss()
			return m.err
		}
	}
	m.reads = qs
	m.pause(struct{}{})
	return m.err
}

// Exec keeps a write for the end.
func (m *member) Exec(sql string, args ...any) {
	if m.err != nil {
		return
	}
	if s := shapeOf(sql); !s.inserts && !s.updates {
		m.dismiss()
		return
	}
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			m.bytes += len(text)
		}
	}
	if m.bytes > maxBytes {
		m.dismiss()
		return
	}
	m.writes = append(m.writes, write{sql, args})
}

// NextID draws from the hub's blocks, or fetches some by the batch's connection, which
// has nothing under way while a closure runs.
func (m *member) NextID(seq store.Seq) int64 {
	if m.err != nil {
		return 0
	}
	id := m.batch.conn.NextID(seq)
	if m.batch.conn.err != nil {
		m.dismiss()
	}
	return id
}

func (m *member) Engine() store.Engine { return store.PostgreSQL }

func (m *member) Recent() *store.Recent { return m.recent }

// Hot is nil: other hubs may write to the same database.
func (m *member) Hot() *store.Hot { return nil }

// Gathers is true: the writes of all members go in together.
func (m *member) Gathers() bool { return true }
