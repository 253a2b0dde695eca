package sqlite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"parley"
	"parley/internal/store"
)

// conn is one connection with its prepared statements. After the first error it does
// nothing until err is cleared.
type conn struct {
	raw   *sqlite.Conn
	stmts map[string]*statement
	next  [store.SeqCount]int64
	err   error

	recent   *store.Recent
	hot      *store.Hot               // of the writer
	later    *later                   // of the writer
	args     []any                    // of many rows, used again
	writes   bool                     // the only one that does
	counting *atomic.Pointer[counter] // of the store; usually nobody counts
	tail     *tail                    // of the store
	limits   tailLimits               // of the writer
	since    atomic.Uint64            // of a reader at work, for the tail
}

// statement is prepared once. params[i] is the place of argument i+1 in it, since
// SQLite numbers $2, $1 by their first appearance.
type statement struct {
	*sqlite.Stmt
	sql    string
	params []int
	traits
	many [powersAtOnce]*statement // the same for 2, 4, 8 and 16 rows
}

var _ store.Conn = (*conn)(nil)

// boundLimit finds a limit that is an argument. SQLite plans by its value and
// prepares the statement again whenever the value changes. It cannot do so for an
// expression.
var boundLimit = regexp.MustCompile(`LIMIT \$(\d+)`)

func (c *conn) prepare(sql string) (*statement, error) {
	if s := c.stmts[sql]; s != nil {
		return s, nil
	}
	text := textOf(sql)
	raw, err := c.raw.Prepare(text.engine)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	s := &statement{Stmt: raw, sql: sql, params: make([]int, raw.BindParamCount())}
	for i := range s.params {
		n, err := strconv.Atoi(strings.TrimPrefix(raw.BindParamName(i+1), "$"))
		if err != nil || n < 1 || n > len(s.params) {
			return nil, fmt.Errorf("prepare %q: parameter %q", sql, raw.BindParamName(i+1))
		}
		s.params[n-1] = i + 1
	}
	if c.later != nil {
		s.traits = text.traits
	}
	c.stmts[sql] = s
	return s, nil
}

// text is what is known of a statement before anybody prepares it.
type text struct {
	engine string // the text for the engine
	traits
}

var texts sync.Map // by the statement; finding it all out takes longer than preparing it

func textOf(sql string) *text {
	if t, ok := texts.Load(sql); ok {
		return t.(*text)
	}
	t, _ := texts.LoadOrStore(sql, &text{boundLimit.ReplaceAllString(withLists(sql), "LIMIT $$$1 + 0"), traitsOf(sql)})
	return t.(*text)
}

func (c *conn) Query(qs ...store.Query) error {
	for _, q := range qs {
		if c.err != nil {
			return c.err
		}
		c.err = c.use(q.SQL, q.Args, q.Row)
	}
	return c.err
}

// Exec runs a statement at once, as there is no round trip to save, unless it may wait.
func (c *conn) Exec(sql string, args ...any) {
	if c.err == nil {
		c.err = c.use(sql, args, nil)
	}
}

func (c *conn) exec(sql string) { c.Exec(sql) }

// rollback ends the transaction, even after an error, and even if the error has
// already ended it.
func (c *conn) rollback() {
	c.forget(0)
	c.leave()
}

// leave is rollback for a transaction that has written nothing.
func (c *conn) leave() {
	c.err = nil
	if !c.raw.AutocommitEnabled() {
		c.exec("ROLLBACK")
	}
	c.err = nil
}

// use runs a statement, after the waiting ones of its tables, or lets it wait itself.
func (c *conn) use(sql string, args []any, row func(store.Row)) error {
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	if c.later == nil {
		return c.run(s, args, row)
	}
	if s.waits {
		if c.later.add(s, args) {
			return c.flush(1 << s.table)
		}
		return nil
	}
	if err := c.flush(s.touches); err != nil {
		return err
	}
	for _, table := range s.changes {
		c.hot.Forget(table)
	}
	return c.run(s, args, row)
}

func (c *conn) run(s *statement, args []any, row func(store.Row)) error {
	if len(args) != len(s.params) {
		return fmt.Errorf("%d arguments for %q", len(args), s.sql)
	}
	for i, arg := range args {
		bind(s.Stmt, s.params[i], arg)
	}
	if k := c.counting.Load(); k != nil {
		return c.counted(k, s, row)
	}
	return step(s, row)
}

// step runs a statement that has its arguments.
func step(s *statement, row func(store.Row)) error {
	for {
		more, err := s.Step()
		if err != nil {
			_ = s.Reset() // repeats the error of the step
			return err
		}
		if !more {
			return s.Reset()
		}
		if row != nil {
			row(rowOf{s.Stmt})
		}
	}
}

// counted is step for a store that counts.
func (c *conn) counted(k *counter, s *statement, row func(store.Row)) error {
	rows, before := int64(0), k.begin(c.raw, s)
	err := step(s, func(r store.Row) {
		rows++
		if row != nil {
			row(r)
		}
	})
	k.add(c, s, rows, before)
	return err
}

func bind(s *sqlite.Stmt, at int, arg any) {
	switch v := arg.(type) {
	case int64:
		s.BindInt64(at, v)
	case string:
		s.BindText(at, store.Storable(v))
	case []byte:
		s.BindBytes(at, v)
	case nil:
		s.BindNull(at)
	default:
		panic(fmt.Sprintf("store: argument of type %T", arg))
	}
}

type rowOf struct{ s *sqlite.Stmt }

func (r rowOf) Int(col int) int64   { return r.s.ColumnInt64(col) }
func (r rowOf) Text(col int) string { return r.s.ColumnText(col) }

func (r rowOf) Bytes(col int) []byte {
	b := make([]byte, r.s.ColumnLen(col))
	return b[:r.s.ColumnBytes(col, b)]
}

// NextID counts in memory: the file has one writer.
func (c *conn) NextID(seq store.Seq) int64 {
	c.next[seq]++
	return c.next[seq]
}

func (c *conn) Recent() *store.Recent { return c.recent }

func (c *conn) Hot() *store.Hot { return c.hot }

// Gathers is true of the writer, whose batches store rows together.
func (c *conn) Gathers() bool { return c.later != nil }

func (c *conn) Engine() store.Engine { return store.SQLite }

// loadSequences continues every sequence after the greatest id in use. It returns the
// newest time on record.
func (c *conn) loadSequences() (newest parley.Micros, err error) {
	for seq, table := range store.SeqTables {
		q := store.Query{SQL: "SELECT max(id) FROM " + table, Row: func(r store.Row) { c.next[seq] = r.Int(0) }}
		if err := c.Query(q); err != nil {
			return 0, err
		}
	}
	c.next[store.SeqTask] = max(c.next[store.SeqTask], store.FirstTask-1)
	// A worker's row may be gone while a task still names it.
	err = c.Query(store.Query{SQL: "SELECT max(worker_id) FROM task WHERE state <= 3", Row: func(r store.Row) {
		c.next[store.SeqWorker] = max(c.next[store.SeqWorker], r.Int(0))
	}})
	if err != nil {
		return 0, err
	}
	err = c.Query(store.Query{SQL: "SELECT at FROM event ORDER BY id DESC LIMIT 1",
		Row: func(r store.Row) { newest = parley.Micros(r.Int(0)) }})
	return newest, err
}

func (c *conn) close() {
	for _, s := range c.stmts {
		_ = s.Finalize()
	}
	_ = c.raw.Close()
}
