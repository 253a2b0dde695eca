package sqlite

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// laterSteps are the real migrations and one more, of a future parley.
func laterSteps(t *testing.T, text string) fs.FS {
	t.Helper()
	later := fstest.MapFS{"migrations/9999_later.sql": {Data: []byte(text)}}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		later[name] = &fstest.MapFile{Data: data}
	}
	return later
}

func migrateWith(t *testing.T, path string, steps fs.FS) error {
	t.Helper()
	c := raw(t, path)
	defer c.Close()
	return migrate(c, path, steps, func() error { return nil })
}

func raw(t *testing.T, path string) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// query returns the first value of a statement on a file that is not open.
func query(t *testing.T, path, sql string) (value string) {
	t.Helper()
	c := raw(t, path)
	defer c.Close()
	err := sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { value = s.ColumnText(0); return nil },
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// filled makes a database with one token in it.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parley.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), token("old")); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOlderSchemaIsUpgradedInPlace(t *testing.T) {
	path := filled(t)
	version := query(t, path, "PRAGMA user_version")
	broken := laterSteps(t, "ALTER TABLE token ADD note TEXT NOT NULL DEFAULT 'none'; SELECT nonsense;")
	if err := migrateWith(t, path, broken); err == nil || !strings.Contains(err.Error(), "9999_later.sql") {
		t.Errorf("a broken step: %v", err)
	}
	if got := query(t, path, "SELECT count(*) FROM pragma_table_info('token')"); got != "10" || query(t, path, "PRAGMA user_version") != version {
		t.Errorf("a broken step left %s columns", got)
	}
	good := laterSteps(t, "ALTER TABLE token ADD note TEXT NOT NULL DEFAULT 'none';")
	for range 2 { // the second time there is nothing to do
		if err := migrateWith(t, path, good); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, path, "SELECT note FROM token WHERE hash = 'old'"); got != "none" {
		t.Errorf("the row of before has the note %q", got)
	}
}

// A refused file stays the same, byte for byte.
func TestFilesThatAreNotOursAreRefusedAndLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"of a newer parley", func(t *testing.T, path string) {
			if err := migrateWith(t, path, laterSteps(t, "CREATE TABLE later (id INTEGER);")); err != nil {
				t.Fatal(err)
			}
		}, "newer parley"},
		{"of another program", func(t *testing.T, path string) {
			query(t, path, "CREATE TABLE diary (text TEXT)")
		}, "another program"},
		{"no database", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("Dear diary, ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is damaged or is not a parley database"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "parley.db")
			c.make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("opened: %v", err)
			}
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// A file with damage inside opens, and reports the damage when it is reached.
func TestDamagedFileSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := s.Update(t.Context(), attachment(i+1, 3000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, path, "attachment")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xAA}, 4096), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	for name, err := range map[string]error{
		"reading": s.View(t.Context(), func(tx *store.Tx) error { _, err := tx.Attachment(7); return err }),
		"writing": s.Update(t.Context(), attachment(51, 3000)),
	} {
		if parley.KindOf(err) != parley.Internal || !strings.Contains(fmt.Sprint(err), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Update(t.Context(), token("elsewhere")); err != nil {
		t.Errorf("where there is no damage: %v", err)
	}
}

// pageOf is the first page of a table.
func pageOf(t *testing.T, path, table string) (page int64) {
	t.Helper()
	if _, err := fmt.Sscan(query(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = '"+table+"'"), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

func TestPlacesThatCannotBeWrittenSaySo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "parley.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"the folder is a file": filepath.Join(file, "parley.db"),
		"the file is a folder": filepath.Join(dir, "parley.db"),
	} {
		if s, err := Open(path, Options{}); err == nil {
			t.Errorf("%s: opened, %v", name, s.Close())
		} else if !strings.Contains(err.Error(), "cannot be opened") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADatabaseOfTheThirdSchemaGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	if err := migrateWith(t, path, firstStep(t)); err != nil {
		t.Fatal(err)
	}
	c := raw(t, path)
	if err := sqlitex.ExecuteScript(c, storetest.Schema1, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := migrateWith(t, path, steps(t, 3)); err != nil {
		t.Fatal(err)
	}
	c = raw(t, path)
	if err := sqlitex.ExecuteScript(c, storetest.Schema3, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.UpgradedTasks(t, openStore(t, path))
}

// steps are the first n migrations.
func steps(t *testing.T, n int) fs.FS {
	t.Helper()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	first := fstest.MapFS{}
	for _, name := range names[:n] {
		data, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		first[name] = &fstest.MapFile{Data: data}
	}
	return first
}

// firstStep is the schema of the first parley.
func firstStep(t *testing.T) fs.FS { return steps(t, 1) }

func TestADatabaseOfTheFirstSchemaGoesOn(t *testing.T) {
	storetest.Upgraded(t, openStore(t, oldFile(t, storetest.Schema1, firstStep(t))))
}

// oldFile is a database with an older schema and some content.
func oldFile(t *testing.T, content string, schema fs.FS) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "parley.db")
	if err := migrateWith(t, path, schema); err != nil {
		t.Fatal(err)
	}
	c := raw(t, path)
	if err := sqlitex.ExecuteScript(c, content, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is not committed never reaches the log, and so leaves nothing there that is held.
func TestNothingSpillsIntoTheLog(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if pages, err := readInt(s.writer.conn.raw, "PRAGMA cache_spill"); err != nil || pages != 0 {
		t.Errorf("pages spill from %d on (%v)", pages, err)
	}
}

// The page caches follow the hub's bound, whatever connection it is.
func TestPageCachesHaveTheirShareOfMemory(t *testing.T) {
	const m = store.Memory(1 << 30)
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{Memory: m})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	reader := <-s.readers
	defer func() { s.readers <- reader }()
	for c, want := range map[*conn]int{reader: m.ReaderPages(), s.writer.conn: m.WriterPages()} {
		if kb, err := readInt(c.raw, "PRAGMA cache_size"); err != nil || int(-kb)<<10 != want {
			t.Errorf("%d KB, not %d bytes (%v)", -kb, want, err)
		}
	}
}

func TestAnIndexOfOlderWordsIsMadeAnew(t *testing.T) {
	storetest.UpgradedIndex(t, openStore(t, oldFile(t, storetest.IndexBeforeStems(`x'0001'`), steps(t, storetest.SchemaBeforeStems))))
}

func TestADatabaseOfEverySchemaGoesOn(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	storetest.EverySchema(t, len(names), func(t *testing.T, n int) store.Store {
		path := oldFile(t, storetest.FirstContent, firstStep(t))
		if err := migrateWith(t, path, steps(t, n)); err != nil {
			t.Fatal(err)
		}
		return openStore(t, path)
	})
}
