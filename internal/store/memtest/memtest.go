// Package memtest gives a test its own store in memory: the real engine without a
// file, ready in two milliseconds. Its clock moves only when the test says so, and
// the test can read the tables directly.
//
// It is for one caller at a time; see sqlite.OpenMemory.
package memtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// Store is an empty database that is closed with its test.
type Store struct {
	*sqlite.Store
	t       *testing.T
	now     atomic.Int64 // microseconds
	skipped atomic.Bool
	look    *zombiezen.Conn // reads the tables directly
}

// template has the schema. Copying it is faster than creating it.
var template = sync.OnceValues(func() (*zombiezen.Conn, error) {
	s, err := sqlite.OpenMemory("template", sqlite.Options{Readers: 1})
	if err != nil {
		return nil, err
	}
	c, err := connect("template")
	if err != nil {
		return nil, err
	}
	return c, s.Close() // the database lives as long as one connection
})

// copying is locked while the template is read.
var copying sync.Mutex

// Open makes a store. Its clock starts at noon.
func Open(t *testing.T) *Store {
	t.Helper()
	s := &Store{t: t}
	s.now.Store(time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	name := fmt.Sprintf("store-%p", s)
	var err error
	if s.look, err = connect(name); err == nil {
		err = fill(s.look)
	}
	if err == nil {
		s.Store, err = sqlite.OpenMemory(name, sqlite.Options{Readers: 1, Clock: func() time.Time { return time.UnixMicro(s.now.Load()) }})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.look.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func connect(name string) (*zombiezen.Conn, error) {
	return zombiezen.OpenConn(sqlite.MemoryPath(name), zombiezen.OpenReadWrite|zombiezen.OpenCreate|zombiezen.OpenURI)
}

// fill copies the schema into an empty database.
func fill(into *zombiezen.Conn) error {
	from, err := template()
	if err != nil {
		return err
	}
	copying.Lock()
	defer copying.Unlock()
	b, err := zombiezen.NewBackup(into, "main", from, "main")
	if err != nil {
		return err
	}
	if _, err := b.Step(-1); err != nil {
		return err
	}
	return b.Close()
}

// Pass moves the clock forward. Nothing reacts to that.
func (s *Store) Pass(d time.Duration) { s.now.Add(d.Microseconds()) }

func (s *Store) Now() parley.Micros { return parley.Micros(s.now.Load()) }

// Update also takes down whether it skipped the sync.
func (s *Store) Update(ctx context.Context, fn func(*store.Tx) error) error {
	return s.Store.Update(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		s.skipped.Store(tx.SkipsSync())
		return err
	})
}

// SkippedSync reports whether the last update would not have waited for a disk.
func (s *Store) SkippedSync() bool { return s.skipped.Load() }

// Do runs an update that must succeed.
func (s *Store) Do(fn func(*store.Tx) error) {
	s.t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		s.t.Fatal(err)
	}
}

// See runs a view that must succeed.
func (s *Store) See(fn func(*store.Tx) error) {
	s.t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		s.t.Fatal(err)
	}
}

// Team stores a team with these agents and gives them their ids.
func (s *Store) Team(name string, agents ...*parley.Agent) (id parley.TeamID) {
	s.t.Helper()
	s.Do(func(tx *store.Tx) error {
		team := parley.Team{Name: name}
		tx.InsertTeam(&team)
		for _, a := range agents {
			a.Team = team.ID
			tx.InsertAgent(a)
		}
		id = team.ID
		return nil
	})
	return id
}

func (s *Store) Task(id parley.TaskID) (t parley.Task) {
	s.t.Helper()
	s.See(func(tx *store.Tx) (err error) { t, err = tx.Task(id); return err })
	return t
}

// Change edits a task directly, without the rules.
func (s *Store) Change(id parley.TaskID, how func(*parley.Task)) {
	s.t.Helper()
	s.Do(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(id)
		if err != nil {
			return err
		}
		how(&tasks[0])
		tx.UpdateTask(&tasks[0])
		return nil
	})
}

// Claim takes a task as a worker does.
func (s *Store) Claim(id parley.TaskID, worker int64) parley.Lease {
	s.t.Helper()
	s.Change(id, func(t *parley.Task) { t.State, t.Worker, t.Token = parley.Running, worker, t.Token+1 })
	t := s.Task(id)
	s.Do(func(tx *store.Tx) error { tx.MarkDelivered(t.Request, t.Agent); return nil })
	return t.Lease()
}

// Requeue puts a task back into the queue, as when it is taken over.
func (s *Store) Requeue(id parley.TaskID) {
	s.t.Helper()
	s.Change(id, func(t *parley.Task) { t.State, t.Worker = parley.Queued, 0 })
}

// Rows returns all rows as text, by table, without those of the lists: they are an index,
// which is written when there is enough.
func (s *Store) Rows(except ...string) map[string][]string {
	s.t.Helper()
	rows := map[string][]string{}
	s.each(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'listing%'`, func(r *zombiezen.Stmt) { rows[r.ColumnText(0)] = nil })
	for table := range rows {
		if slices.Contains(except, table) {
			delete(rows, table)
			continue
		}
		s.each(`SELECT * FROM "`+table+`"`, func(r *zombiezen.Stmt) {
			row := ""
			for i := range r.ColumnCount() {
				row += fmt.Sprintf("%s=%s ", r.ColumnName(i), r.ColumnText(i))
			}
			rows[table] = append(rows[table], row)
		})
	}
	return rows
}

func (s *Store) each(sql string, row func(*zombiezen.Stmt)) {
	s.t.Helper()
	err := sqlitex.Execute(s.look, sql, &sqlitex.ExecOptions{ResultFunc: func(r *zombiezen.Stmt) error { row(r); return nil }})
	if err != nil {
		s.t.Fatal(err)
	}
}
