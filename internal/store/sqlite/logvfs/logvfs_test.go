package logvfs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func connect(t interface {
	Fatal(...any)
	Cleanup(func())
}, path string, flags sqlite.OpenFlags) *sqlite.Conn {
	c, err := sqlite.OpenConn(path, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func run(t interface{ Fatal(...any) }, c *sqlite.Conn, statements ...string) {
	for _, s := range statements {
		if err := sqlitex.ExecuteTransient(c, s, nil); err != nil {
			t.Fatal(s, err)
		}
	}
}

// content is what a table of ids and lengths holds.
func content(t interface{ Fatal(...any) }, c *sqlite.Conn) map[int64]int64 {
	found := map[int64]int64{}
	err := sqlitex.ExecuteTransient(c, "SELECT id, length(text) FROM said", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { found[s.ColumnInt64(0)] = s.ColumnInt64(1); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// copyOf opens what is in the files now, as it would be found after a kill.
func copyOf(t *rapid.T, path string, n int) *sqlite.Conn {
	copied := fmt.Sprint(path, "-copy-", n)
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(copied+end, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return connect(t, copied, sqlite.OpenReadWrite)
}

// Whatever a connection stores, takes back, lets spill into the log before it is
// committed, and copies into the file: others see each commit, and the files have it.
func TestEveryCommitIsInTheFiles(t *testing.T) {
	if err := Register(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "logvfs")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		path := filepath.Join(dir, "a file? of 100% #1.db")
		c := connect(t, URI(path), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
		run(t, c, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA wal_autocheckpoint = 50",
			fmt.Sprint("PRAGMA cache_size = ", rapid.SampledFrom([]int{10, 1000}).Draw(t, "cache")),
			"CREATE TABLE said (id INTEGER PRIMARY KEY, text BLOB) STRICT")
		other := connect(t, path, sqlite.OpenReadWrite)
		stored := map[int64]int64{}
		change := func(now map[int64]int64) {
			for range rapid.IntRange(1, 60).Draw(t, "rows") {
				id, size := rapid.Int64Range(1, 200).Draw(t, "id"), rapid.SampledFrom([]int64{0, 10, 3000, 20_000}).Draw(t, "size")
				run(t, c, fmt.Sprintf("INSERT OR REPLACE INTO said VALUES (%d, randomblob(%d))", id, size))
				now[id] = max(size, 1) // randomblob(0) has one byte
			}
		}
		for n := range rapid.IntRange(1, 12).Draw(t, "transactions") {
			now := maps.Clone(stored)
			run(t, c, "BEGIN IMMEDIATE")
			change(now)
			if rapid.Bool().Draw(t, "savepoint") {
				run(t, c, "SAVEPOINT one")
				change(maps.Clone(now))
				run(t, c, "ROLLBACK TO one", "RELEASE one")
			}
			if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
				run(t, c, "ROLLBACK")
			} else {
				run(t, c, "COMMIT")
				stored = now
			}
			if rapid.IntRange(0, 4).Draw(t, "copied") == 0 {
				run(t, c, "PRAGMA wal_checkpoint(RESTART)")
			}
			for who, conn := range map[string]*sqlite.Conn{"itself": c, "another": other, "who opens a copy": copyOf(t, path, n)} {
				if found := content(t, conn); !maps.Equal(found, stored) {
					t.Fatalf("%s finds %v, stored was %v", who, found, stored)
				}
			}
		}
		err = sqlitex.ExecuteTransient(other, "PRAGMA integrity_check", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if said := s.ColumnText(0); said != "ok" {
				t.Fatal(said)
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// calls are the writes that reach SQLite's own layer, for files of the test that watches.
var calls struct {
	open, write uintptr // of the real layer
	sizes       []int32
	fail        bool
	methods     lib.Tsqlite3_io_methods
}

func watchedOpen(tls *libc.TLS, vfs, name, p uintptr, flags int32, out uintptr) int32 {
	rc := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](calls.open)(tls, vfs, name, p, flags, out)
	if rc == lib.SQLITE_OK && flags&lib.SQLITE_OPEN_WAL != 0 {
		base := at[lib.Tsqlite3_file](p)
		calls.methods = *at[lib.Tsqlite3_io_methods](base.FpMethods)
		calls.write, calls.methods.FxWrite = calls.methods.FxWrite, pointer(watchedWrite)
		base.FpMethods = uintptr(unsafe.Pointer(&calls.methods))
	}
	return rc
}

func watchedWrite(tls *libc.TLS, p, data uintptr, size int32, to int64) int32 {
	calls.sizes = append(calls.sizes, size)
	if calls.fail {
		return lib.SQLITE_FULL
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](calls.write)(tls, p, data, size, to)
}

// watch opens a database whose writes into the log are counted, and can fail.
func watch(t *testing.T) (c *sqlite.Conn, path string) {
	if err := Register(); err != nil {
		t.Fatal(err)
	}
	calls.open, calls.fail = below.open, false
	below.open = pointer(watchedOpen)
	t.Cleanup(func() { below.open = calls.open })
	path = filepath.Join(t.TempDir(), "x.db")
	c = connect(t, URI(path), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	run(t, c, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "CREATE TABLE said (id INTEGER PRIMARY KEY, text BLOB) STRICT",
		"INSERT INTO said VALUES (1, zeroblob(10))")
	return c, path
}

const frame = frameHeader + usualPage

func TestACommitIsWrittenWithOneCall(t *testing.T) {
	c, _ := watch(t)
	for _, step := range []struct {
		statement string
		sizes     []int32
	}{
		{"INSERT INTO said VALUES (2, zeroblob(80000))", []int32{21 * frame}}, // a row and twenty pages of its text
		{"UPDATE said SET text = zeroblob(11) WHERE id = 1", []int32{frameHeader, usualPage}},
		{"INSERT INTO said VALUES (3, zeroblob(200000))", []int32{31 * frame, 21 * frame}}, // more than may be held
	} {
		calls.sizes = nil
		run(t, c, step.statement)
		if !slices.Equal(calls.sizes, step.sizes) {
			t.Errorf("%s wrote %v, want %v", step.statement, calls.sizes, step.sizes)
		}
	}
}

// A commit that cannot be written fails, nobody sees any of it, and the next one works.
func TestACommitThatCannotBeWrittenFails(t *testing.T) {
	c, path := watch(t)
	other := connect(t, path, sqlite.OpenReadWrite)
	for _, size := range []int{10, 80_000, 300_000} {
		calls.fail = true
		err := sqlitex.ExecuteTransient(c, fmt.Sprintf("INSERT INTO said VALUES (2, zeroblob(%d))", size), nil)
		if sqlite.ErrCode(err) != sqlite.ResultFull {
			t.Fatalf("%d bytes: %v", size, err)
		}
		calls.fail = false
		if found := content(t, other); len(found) != 1 {
			t.Errorf("%d bytes: others find %v", size, found)
		}
		run(t, c, "INSERT INTO said VALUES (3, zeroblob(7))")
		if found := content(t, other); len(found) != 2 || found[3] != 7 {
			t.Errorf("%d bytes: after the next commit others find %v", size, found)
		}
		run(t, c, "DELETE FROM said WHERE id = 3")
	}
}

// If pages that spilled cannot be written when something else is to be read, nothing of
// the transaction is left, also if only a statement was to be taken back.
func TestASpillThatCannotBeWrittenEndsItsTransaction(t *testing.T) {
	c, path := watch(t)
	other := connect(t, path, sqlite.OpenReadWrite)
	run(t, c, "CREATE TABLE two (id INTEGER PRIMARY KEY, text BLOB, u INTEGER UNIQUE) STRICT")
	for i := range 100 {
		run(t, c, fmt.Sprintf("INSERT INTO two VALUES (%d, randomblob(3000), %d)", i, i))
	}
	run(t, c, "PRAGMA cache_size = 10")
	failed := 0
	for n := range 30 {
		run(t, c, "BEGIN IMMEDIATE")
		for i := range 5 + n {
			run(t, c, fmt.Sprintf("INSERT INTO said VALUES (%d, randomblob(3000))", 10+i))
		}
		calls.fail = true
		err := sqlitex.ExecuteTransient(c, "UPDATE two SET u = u + 1000 WHERE id BETWEEN 40 AND 60", nil)
		calls.fail = false
		if err != nil {
			failed++
			if !c.AutocommitEnabled() {
				t.Fatalf("%d rows: the transaction goes on after %v", 5+n, err)
			}
		} else {
			run(t, c, "ROLLBACK")
		}
		if found := content(t, other); len(found) != 1 {
			t.Fatalf("%d rows: others find %v", 5+n, found)
		}
	}
	if failed == 0 {
		t.Error("nothing spilled")
	}
}

func TestAnyPathIsThatOfItsFile(t *testing.T) {
	if err := Register(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "deep", "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("deep", "folder"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for path, file := range map[string]string{
		dir + "/plain.db": "plain.db", "/" + dir + "/slashes.db": "slashes.db", dir + "/100% a?b#c;d:e.db": "100% a?b#c;d:e.db",
		"relative.db": "relative.db", dir + "/link/../linked.db": "deep/linked.db",
	} {
		c := connect(t, URI(path), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
		run(t, c, "CREATE TABLE said (id INTEGER PRIMARY KEY, text BLOB) STRICT")
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
