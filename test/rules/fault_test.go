package rules

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley/internal/bubbletest"
	"parley/internal/store"
)

// fault is a bug put in on purpose, underneath the program: as a trigger in the
// database, or between the hub and the store.
type fault struct {
	name    string
	trigger string
	between func(path string, s store.Store) store.Store
}

var faults = []fault{
	{name: "a callback is lost", trigger: `BEFORE INSERT ON inbox WHEN new.n > 1 BEGIN SELECT RAISE(IGNORE); END`},
	{name: "a callback comes twice", trigger: `AFTER UPDATE OF inbox_count ON task WHEN new.inbox_count > old.inbox_count BEGIN
		INSERT INTO inbox SELECT task_id, n + 1, message_id FROM inbox WHERE task_id = new.id AND n = new.inbox_count;
		UPDATE task SET inbox_count = inbox_count + 1 WHERE id = new.id; END`},
	{name: "a child that ended still counts as open", trigger: `AFTER UPDATE OF open_children ON task WHEN new.open_children < old.open_children
		BEGIN UPDATE task SET open_children = old.open_children WHERE id = new.id; END`},
	{name: "a running task cannot be cancelled", trigger: `BEFORE UPDATE OF state ON task WHEN new.state = 6 AND old.state = 2 AND old.parent_id = 0
		BEGIN SELECT RAISE(IGNORE); END`},
	{name: "an ended task is queued again", trigger: `AFTER UPDATE OF state ON task WHEN new.state = 4 AND new.parent_id > 0
		BEGIN UPDATE task SET state = 1 WHERE id = new.id; END`},
	{name: "a task is not rescued", trigger: `BEFORE UPDATE OF rescues ON task WHEN new.rescues > old.rescues
		BEGIN SELECT RAISE(IGNORE); END`},
	{name: "a lease does not get a new token", trigger: `AFTER UPDATE OF token ON task WHEN new.token > 1
		BEGIN UPDATE task SET token = 1 WHERE id = new.id; END`},
	{name: "a contact is not found by its key", trigger: `AFTER INSERT ON message WHEN new.key IS NOT NULL
		BEGIN UPDATE message SET key = NULL WHERE id = new.id; END`},
	{name: "a result of a tool is not stored", trigger: `BEFORE INSERT ON step WHEN new.kind = 'result' AND new.content LIKE '%Delegated%'
		BEGIN SELECT RAISE(IGNORE); END`},
	{name: "a late answer is thrown away", trigger: `AFTER UPDATE OF callback ON task WHEN new.callback = 3
		BEGIN UPDATE task SET callback = 0 WHERE id = new.id; END`},
	{name: "a delivery goes back", trigger: `AFTER UPDATE OF answered_at ON delivery WHEN new.answered_at > 0
		BEGIN UPDATE delivery SET seen_at = 0 WHERE message_id = new.message_id; END`},
	{name: "a contact does not count", trigger: `BEFORE UPDATE OF debt ON rate WHEN new.debt > 20000000 BEGIN SELECT RAISE(IGNORE); END`},
	{name: "claims turn the priorities upside down", between: func(path string, s store.Store) store.Store { return &upsideDown{Store: s, path: path} }},
	{name: "an acknowledged commit is not stored", between: func(_ string, s store.Store) store.Store { return &forgetful{Store: s} }},
}

// A fault must be found within mostRuns runs. The first one finds nearly all of them,
// to be quick.
const (
	mostRuns = 40
	firstRun = 69
)

// TestFaultsAreFound shows that the property is worth something: whatever is
// broken on purpose, it notices.
func TestFaultsAreFound(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			for n := range mostRuns {
				if found := find(t, filepath.Join(dir, fmt.Sprint(n)), f, firstRun+n); found != "" {
					first, _, _ := strings.Cut(found, "\n")
					t.Logf("found by run %d: %s", n+1, first)
					return
				}
			}
			t.Errorf("%d runs did not find it", mostRuns)
		})
	}
}

// find does one run with a fault and returns what was found.
func find(t *testing.T, path string, f fault, seed int) string {
	return rapid.Custom(func(rt *rapid.T) string {
		var failed any
		bubbletest.Test(t, func(*testing.T) {
			defer func() { failed = recover() }()
			run(rt, path, f)
		})
		if failed != nil && !rt.Failed() {
			panic(failed)
		}
		if failed == nil {
			return ""
		}
		return fmt.Sprint(failed)
	}).Example(seed)
}

// install puts the fault into a new database.
func (f fault) install(s *stored) error {
	if f.trigger == "" {
		return nil
	}
	return sqlitex.ExecuteTransient(s.conn, "CREATE TRIGGER fault "+f.trigger, nil)
}

// wrap puts the fault between the hub and the store.
func (f fault) wrap(path string, s store.Store) store.Store {
	if f.between == nil {
		return s
	}
	return f.between(path, s)
}

// upsideDown makes every claim see the least urgent task as the most urgent.
type upsideDown struct {
	store.Store
	path string
	mu   sync.Mutex
}

func (u *upsideDown) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if !calledBy("work.(*Scheduler).claim") {
		return u.Store.Update(ctx, fn)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.do("UPDATE task SET priority = 15 - priority WHERE state = 1"); err != nil {
		return err
	}
	return errors.Join(u.Store.Update(ctx, fn), u.do("UPDATE task SET priority = 15 - priority WHERE priority > 10"))
}

func (u *upsideDown) do(sql string) error {
	c, err := sqlite.OpenConn(u.path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteTransient(c, sql, nil), c.Close())
}

func calledBy(name string) bool {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, name) {
			return true
		}
		if !more {
			return false
		}
	}
}

// forgetful acknowledges each tenth commit without storing it.
type forgetful struct {
	store.Store
	mu sync.Mutex
	n  int
}

var errForgotten = errors.New("forgotten")

func (f *forgetful) Update(ctx context.Context, fn func(*store.Tx) error) error {
	f.mu.Lock()
	f.n++
	forgets := f.n%10 == 0
	f.mu.Unlock()
	err := f.Store.Update(ctx, func(tx *store.Tx) error {
		if err := fn(tx); err != nil || !forgets {
			return err
		}
		return errForgotten
	})
	if errors.Is(err, errForgotten) {
		return nil
	}
	return err
}
