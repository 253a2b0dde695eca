// Package store is the contract between the rules and the databases: what can be read
// and written within one transaction. It holds, once, the statements that SQLite and
// PostgreSQL agree on. The drivers below it add connections, commit strategies,
// schemas and locks. No rule of the product lives here.
//
// A closure given to Update may run more than once, and must do nothing but read and
// write through its Tx. It reads and checks first and writes afterwards: drivers rely
// on that order to be fast, not to be correct. Writes return no errors. Update
// returns the failure, and then nothing of the closure is stored.
package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"parley"
	"parley/internal/wake"
)

// Store is a database. It is safe for concurrent use.
type Store interface {
	// Update runs fn in a transaction. When it returns nil, what fn wrote is on
	// stable storage, unless fn called Tx.SkipSync, and its signals are published. The context
	// is checked before the work is handed in, never after.
	Update(ctx context.Context, fn func(*Tx) error) error
	// View runs fn on a consistent snapshot. fn must not write, nor tell anybody what it
	// sees: that is on stable storage once View has returned.
	View(ctx context.Context, fn func(*Tx) error) error
	// Erase is Update for data that must leave no trace in the files: what fn
	// overwrites or deletes is wiped, as far as the engine can.
	Erase(ctx context.Context, fn func(*Tx) error) error
	// AwaitSync returns once everything that was stored until now is on stable storage.
	AwaitSync(ctx context.Context) error
	// Bus carries the signals of committed transactions, including those of other
	// hubs on the same database.
	Bus() *wake.Bus
	// Recent holds what was stored or read lately and can no longer change.
	Recent() *Recent
	// Shared reports whether other hubs may be working on the same database.
	Shared() bool
	// Behind is how far the machine's clock lags behind the newest record. Time
	// stands still until the clock has caught up. A lag of less than a second is 0.
	Behind() time.Duration
	// Describe names the engine and its version, without secrets.
	Describe() string
	Close() error
}

// Conn is what a driver gives to a Tx: one connection within a transaction. After a
// failure it does nothing more, and the transaction cannot commit even if the closure
// ignores the error.
type Conn interface {
	// Query runs statements in order and hands each row to its statement's Row.
	// Several in one call cost one round trip.
	Query(qs ...Query) error
	// Exec runs a statement whose result nobody reads. A driver may defer it until
	// the next Query or the commit, where its failure then ends the transaction.
	Exec(sql string, args ...any)
	// NextID draws from a sequence. Gaps are allowed.
	NextID(seq Seq) int64
	// Engine says which database this is, for the few statements that differ.
	Engine() Engine
	// Recent is that of the store.
	Recent() *Recent
	// Hot is what the writer remembers; nil for a reader, and where others write too.
	Hot() *Hot
	// Gathers reports whether writes with the mark /*later*/ go in together with those of
	// other transactions. Then several plain ones are faster than one that does all.
	Gathers() bool
}

type Engine int

const (
	SQLite Engine = iota
	PostgreSQL
)

// Query is a statement and what to do with its rows. Arguments are int64, string,
// []byte or nil. The marks /*lock*/ and /*skip locked*/ stand where an engine with
// row locks takes them. The mark /*later*/ is on writes that Hot hears of, and that a
// driver may put off until something else uses their table: inserts of one row, and
// updates of one row by its primary key. /*later alone*/ is the same for an update of a row
// that its transaction does not hold: no other transaction may share it, or two that are
// shared by many could wait for each other.
type Query struct {
	SQL  string
	Args []any
	Row  func(Row)
}

// Row is the current row; a null reads as zero or empty.
type Row interface {
	Int(col int) int64
	Text(col int) string
	Bytes(col int) []byte
}

// Seq names a sequence of ids.
type Seq int

const (
	SeqTeam Seq = iota
	SeqAgent
	SeqChannel
	SeqThread
	SeqMessage
	SeqTask
	SeqEvent
	SeqWorker
	SeqApproval
	SeqQuestion
	SeqKeeper
	SeqKept
	SeqChange
	SeqCount
)

// SeqTables names the table that each sequence numbers.
var SeqTables = [SeqCount]string{"team", "agent", "channel", "thread", "message", "task", "event", "worker", "approval", "question", "keeper", "kept", "file_change"}

// FirstTask is the number of the first task of a new database: short ids that
// are easy to tell apart from counts.
const FirstTask = 101

// ErrNotFound is returned by reads of a single row that does not exist. Use cases
// turn it into an error that names the thing.
var ErrNotFound = errors.New("no such row")

// ErrViewWrites is returned by View for a closure that wrote. Nothing of it is
// stored.
var ErrViewWrites = errors.New("a View does not store what it writes")

// Tx is one transaction. Now is fixed within it and never earlier than the latest
// time that this store has given out, even if the machine's clock was set back.
type Tx struct {
	Now parley.Micros
	// Steady is the time by which rates refill. See Clock.Steady.
	Steady parley.Micros

	conn      Conn
	threads   map[parley.ThreadID]*parley.Thread
	signals   []wake.Signal
	marks     marks
	ended     []parley.Task
	wrote     bool
	skipsSync bool
}

// NewTx makes a transaction. For drivers.
func NewTx(conn Conn, c *Clock) *Tx { return &Tx{conn: conn, Now: c.Now(), Steady: c.Steady()} }

// Call runs a closure and then writes the marks that it deferred. A panic becomes the
// closure's error. For drivers.
func Call(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	tx.writeMarks()
	return nil
}

// Wrote reports whether the closure wrote anything. For drivers.
func (tx *Tx) Wrote() bool { return tx.wrote }

// SkipSync lets Update return after the commit, before the disk has it. Call it only if nobody
// outside the hub is told of this until a later Update without it, a View, or Store.AwaitSync has
// returned. Commits reach the disk in their order, so after a power failure the store is as it was
// after some earlier commit.
func (tx *Tx) SkipSync() { tx.skipsSync = true }

// SkipsSync reports whether Update need not wait for the disk. For drivers.
func (tx *Tx) SkipsSync() bool { return tx.skipsSync }

// Committed must be called after the commit, and before the signals of the transaction are
// published. For drivers.
func (tx *Tx) Committed() {
	if len(tx.ended) > 0 {
		tx.conn.Recent().putEnded(tx.ended)
	}
}

// Signals must be published after Committed, before Update returns. For drivers.
func (tx *Tx) Signals() []wake.Signal { return tx.signals }

// Signal publishes a hint once the transaction has committed.
func (tx *Tx) Signal(t wake.Topic, id int64) {
	tx.signals = append(tx.signals, wake.Signal{Topic: t, ID: id})
}

func (tx *Tx) exec(sql string, args ...any) {
	tx.wrote = true
	tx.conn.Exec(sql, args...)
}

func (tx *Tx) query(sql string, row func(Row), args ...any) error {
	return tx.conn.Query(Query{SQL: sql, Args: args, Row: row})
}

// one runs a statement that returns at most one row.
func (tx *Tx) one(sql string, row func(Row), args ...any) error {
	found := false
	err := tx.query(sql, func(r Row) { found = true; row(r) }, args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
