package sqlite

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"parley/internal/store"
)

// Statement is how often a statement was run and what it touched, by SQLite's own
// counters. Times are for profiles; these numbers are the same on any machine.
type Statement struct {
	SQL    string
	Writer bool // run by the writer, and not by a reader
	Runs   int64
	Rows   int64 // read by the caller, or changed
	Steps  int64 // of SQLite's virtual machine
	Pages  int64 // looked at, each time anew
	Misses int64 // of them not in the connection's cache
	Writes int64 // pages into the log; all of a transaction at its COMMIT
}

// PageBytes is what a page takes in the log, with its header.
const PageBytes = 4096 + 24

// Counts are what a store has done.
type Counts struct {
	Statements []Statement
	Commits    int64    // of the writer, of which there were pages
	Logged     []Logged // of a store in memory none
}

// Count begins to count the statements of all connections, and the pages that commits
// write into the log. What it returns ends that and gives what was counted. It slows each
// statement down: it is for measurements.
func (s *Store) Count() (end func() (Counts, error), err error) {
	k := &counter{counted: map[statementKey]*Statement{}}
	err = s.Update(context.Background(), func(*store.Tx) error { // no commit runs now
		path, err := s.writer.conn.logPath()
		if err == nil {
			k.log, err = newLogReader(path)
		}
		if err == nil {
			s.counting.Store(k)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return func() (c Counts, err error) {
		s.counting.Store(nil)
		c.Statements = k.all()
		if k.log == nil {
			return c, nil
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		c.Commits = k.log.commits
		c.Logged, err = k.log.byTable(s.path)
		return c, errors.Join(err, k.log.file.Close())
	}, nil
}

// counter gathers what the connections count.
type counter struct {
	mu      sync.Mutex
	counted map[statementKey]*Statement
	// For calls of the engine that the driver does not have.
	tls   *libc.TLS
	cells *[2]int32 // where the engine writes what it is asked for
	log   *logReader
}

type statementKey struct {
	sql    string
	writer bool
}

// status are the counters of a connection that a statement moves.
type status struct{ hits, misses, writes int64 }

// begin reads them before a statement, whose own counter it sets back.
func (k *counter) begin(c *sqlite.Conn, s *statement) status {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.status(c)
	k.takeSteps(s)
	return before
}

func (k *counter) status(c *sqlite.Conn) status {
	if k.tls == nil {
		k.tls, k.cells = libc.NewTLS(), new([2]int32)
	}
	db, ok := handle(c, "conn")
	if !ok {
		return status{}
	}
	read := func(op int32) int64 {
		cell := uintptr(unsafe.Pointer(k.cells))
		lib.Xsqlite3_db_status(k.tls, db, op, cell, cell+4, 0)
		runtime.KeepAlive(k.cells)
		return int64(k.cells[0])
	}
	return status{read(lib.SQLITE_DBSTATUS_CACHE_HIT), read(lib.SQLITE_DBSTATUS_CACHE_MISS), read(lib.SQLITE_DBSTATUS_CACHE_WRITE)}
}

// add takes what a statement has done since the given status.
func (k *counter) add(c *conn, s *statement, rows int64, before status) {
	k.mu.Lock()
	defer k.mu.Unlock()
	after := k.status(c.raw)
	key := statementKey{s.sql, c.writes}
	one := k.counted[key]
	if one == nil {
		one = &Statement{SQL: s.sql, Writer: c.writes}
		k.counted[key] = one
	}
	if changesRows(s.sql) {
		rows += int64(c.raw.Changes())
	}
	if c.writes && s.sql == "COMMIT" && k.log != nil {
		k.log.read()
	}
	one.Steps += k.takeSteps(s)
	one.Runs++
	one.Rows += rows
	one.Pages += after.hits + after.misses - before.hits - before.misses
	one.Misses += after.misses - before.misses
	one.Writes += after.writes - before.writes
}

// takeSteps reads the steps since it was last called.
func (k *counter) takeSteps(s *statement) int64 {
	stmt, ok := handle(s.Stmt, "stmt")
	if !ok {
		return 0
	}
	const forget = 1
	return int64(lib.Xsqlite3_stmt_status(k.tls, stmt, lib.SQLITE_STMTSTATUS_VM_STEP, forget))
}

func changesRows(sql string) bool {
	return strings.HasPrefix(sql, "INSERT") || strings.HasPrefix(sql, "UPDATE") || strings.HasPrefix(sql, "DELETE")
}

func (k *counter) all() (list []Statement) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.counted {
		list = append(list, *s)
	}
	if k.tls != nil {
		k.tls.Close()
		k.tls = nil
	}
	return list
}

// handle reads the engine's address of a connection or a statement. The driver gives
// its counters no name; a driver that keeps it elsewhere leaves them at 0.
func handle(of any, field string) (uintptr, bool) {
	v := reflect.ValueOf(of).Elem().FieldByName(field)
	if !v.IsValid() || v.Kind() != reflect.Uintptr {
		return 0, false
	}
	return uintptr(v.Uint()), true
}
