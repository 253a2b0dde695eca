package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/store/storetest"
)

// laterSteps are the real migrations and one more, of a future parley.
func laterSteps(t *testing.T, text string) fs.FS {
	t.Helper()
	later := fstest.MapFS{}
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
	later["migrations/9999_later.sql"] = &fstest.MapFile{Data: []byte(text)}
	return later
}

func migrateWith(t *testing.T, dsn string, steps fs.FS) error {
	t.Helper()
	a, err := parseAddress(dsn, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuickly(c)
	return migrate(t.Context(), c, a.schema, steps)
}

func TestOlderSchemaIsUpgradedInPlace(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{})
	if err := s.Update(t.Context(), token("old")); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	broken := laterSteps(t, `ALTER TABLE token ADD note TEXT NOT NULL DEFAULT 'none'; SELECT nonsense`)
	if err := migrateWith(t, dsn, broken); err == nil || !strings.Contains(err.Error(), "9999_later.sql") {
		t.Errorf("a broken step: %v", err)
	}
	if n := number(t, c, `SELECT count(*) FROM information_schema.columns WHERE table_name = 'token'`); n != 10 {
		t.Errorf("a broken step left %d columns", n)
	}
	good := laterSteps(t, `ALTER TABLE token ADD note TEXT NOT NULL DEFAULT 'none'`)
	for range 2 { // the second time there is nothing to do
		if err := migrateWith(t, dsn, good); err != nil {
			t.Fatal(err)
		}
	}
	if n := number(t, c, `SELECT count(*) FROM parley.token WHERE hash = 'old' AND note = 'none'`); n != 1 {
		t.Error("the row of before is not there with its new column")
	}
}

func TestNewerSchemaIsRefusedAndLeftAlone(t *testing.T) {
	dsn := pgtest.DSN(t)
	if err := migrateWith(t, dsn, laterSteps(t, `CREATE TABLE later (id BIGINT)`)); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	before := columns(t, c)
	_, err := Open(t.Context(), dsn, Options{})
	if parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), "newer parley") {
		t.Errorf("opened with: %v", err)
	}
	if diff := cmp.Diff(before, columns(t, c)); diff != "" {
		t.Error(diff)
	}
}

func TestHubsThatStartAtOnceMigrateOnce(t *testing.T) {
	dsn := pgtest.DSN(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := Open(context.Background(), dsn, Options{MaxConns: 2})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := number(t, connect(t, dsn), `SELECT count(*) FROM parley.migration`); n != int64(len(steps(t))) {
		t.Errorf("%d steps are on record", n)
	}
}

func steps(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestSchemaOfAnotherProgramIsRefused(t *testing.T) {
	u := database(t)
	dsn := u.String()
	c := connect(t, dsn)
	exec(t, c, `CREATE SCHEMA parley; CREATE TABLE parley.message (text TEXT)`)
	_, err := Open(t.Context(), dsn, Options{})
	if err == nil || !strings.Contains(err.Error(), "belongs to another program") {
		t.Errorf("opened with: %v", err)
	}
	if n := number(t, c, `SELECT count(*) FROM information_schema.tables WHERE table_schema = 'parley'`); n != 1 {
		t.Errorf("%d tables are there now", n)
	}
	// A schema of another name beside it works.
	s := open(t, with(u, "search_path", "parley_too"), Options{})
	if err := s.Update(t.Context(), token("here")); err != nil {
		t.Error(err)
	}
	if n := number(t, c, `SELECT count(*) FROM parley_too.token`); n != 1 {
		t.Error("the tables are elsewhere")
	}
}

// The statements are shared, so the tables must be the same.
func TestSchemaHasTheColumnsOfSQLite(t *testing.T) {
	dsn := pgtest.DSN(t)
	open(t, dsn, Options{})
	want := sqliteColumns(t)
	maps.DeleteFunc(want, func(column, _ string) bool { return strings.HasPrefix(column, "listing") }) // indexes of its own
	got := columns(t, connect(t, dsn))
	delete(got, "event.xid") // what SQLite does not need
	delete(got, "step.xid")
	delete(got, "migration.version") // it keeps these in its header
	delete(got, "migration.name")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("SQLite's columns (-) and ours (+): %s", diff)
	}
}

// columns maps table.column to its type, nullability and default.
func columns(t *testing.T, c *pgx.Conn) map[string]string {
	t.Helper()
	rows, err := c.Query(t.Context(), `SELECT table_name || '.' || column_name,
		concat_ws(' ', replace(replace(data_type, 'bigint', 'integer'), 'bytea', 'blob'), CASE is_nullable WHEN 'NO' THEN 'not null' END, split_part(column_default, ':', 1))
		FROM information_schema.columns WHERE table_schema = 'parley'`)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	var name, kind string
	if _, err := pgx.ForEachRow(rows, []any{&name, &kind}, func() error { list[name] = kind; return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

func sqliteColumns(t *testing.T) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parley.db")
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := zombiezen.OpenConn(path, zombiezen.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list := map[string]string{}
	err = sqlitex.Execute(c, `SELECT m.name || '.' || p.name,
		concat_ws(' ', lower(p.type), CASE WHEN p."notnull" OR p.pk THEN 'not null' END, p.dflt_value)
		FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`, &sqlitex.ExecOptions{
		ResultFunc: func(row *zombiezen.Stmt) error { list[row.ColumnText(0)] = row.ColumnText(1); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A dump restored into a new server contains events with transaction numbers that
// this server has yet to reach.
func TestEventsGoOnAfterADumpIsRestored(t *testing.T) {
	dsn := pgtest.DSN(t)
	record := func(s *Store, detail string) {
		t.Helper()
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			tx.Record(parley.Event{Team: 1, Kind: parley.EventStatus, Detail: detail})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dsn, Options{})
	record(s, "before")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t, connect(t, dsn), `UPDATE parley.event SET xid = xid + 1000000000`)

	var cursor string
	for round := range 3 {
		s := open(t, dsn, Options{})
		record(s, fmt.Sprint("after ", round))
		want := 1
		if round == 0 {
			want = 2
		}
		cursor = readEvents(t, s, cursor, want)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// So does one with steps that are newer than all events.
func TestStepsGoOnAfterADumpWasRestored(t *testing.T) {
	dsn := pgtest.DSN(t)
	store1 := func(s *Store, n int) {
		t.Helper()
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			if n == 1 {
				tx.InsertTask(&parley.Task{ID: 101, Team: 1, Root: 101, Agent: 1, Pattern: parley.Ask})
			}
			tx.InsertStep(parley.Step{Task: 101, Turn: 1, N: n, Kind: parley.StepReply, Content: []byte("{}")})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dsn, Options{})
	store1(s, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t, connect(t, dsn), `UPDATE parley.step SET xid = xid + 1000000000`)
	s = open(t, dsn, Options{})
	store1(s, 2)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var list []store.StepRow
	for deadline := time.After(time.Minute); len(list) < 2; {
		err := s.View(t.Context(), func(tx *store.Tx) (err error) {
			list, err = tx.StepsAfter(store.StepFilter{Team: 1}, store.StepCursor{}, 10)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d steps can be read", len(list))
		}
	}
	if list[0].N != 1 || list[1].N != 2 {
		t.Errorf("the steps are read in another order: %+v", list)
	}
}

// readEvents reads so many events and returns the cursor after them. A transaction in
// flight anywhere on the server, even in another test, holds back the events after
// it.
func readEvents(t *testing.T, s *Store, cursor string, want int) (next string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		var list []parley.Event
		err := s.View(t.Context(), func(tx *store.Tx) (err error) {
			list, next, err = tx.Events(1, cursor, 10)
			return err
		})
		if err != nil || len(list) > want {
			t.Fatalf("%d events after %q, %v", len(list), cursor, err)
		}
		if len(list) == want {
			return next
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d events after %q; want %d", len(list), cursor, want)
		}
	}
}

// firstStep is the schema of the first parley.
func firstStep(t *testing.T) fs.FS { return firstSteps(t, 1) }

// firstSteps are the first n migrations.
func firstSteps(t *testing.T, n int) fs.FS {
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

func TestADatabaseOfTheThirdSchemaGoesOn(t *testing.T) {
	dsn := pgtest.DSN(t)
	if err := migrateWith(t, dsn, firstStep(t)); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	exec(t, c, `SET search_path = parley`)
	exec(t, c, storetest.Schema1)
	if err := migrateWith(t, dsn, firstSteps(t, 3)); err != nil {
		t.Fatal(err)
	}
	exec(t, c, storetest.Schema3)
	exec(t, c, `SELECT setval('message_id', 1000), setval('channel_id', 1000), setval('thread_id', 1000)`)
	storetest.UpgradedTasks(t, open(t, dsn, Options{}))
}

func TestADatabaseOfTheFirstSchemaGoesOn(t *testing.T) {
	dsn := pgtest.DSN(t)
	if err := migrateWith(t, dsn, firstStep(t)); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	exec(t, c, `SET search_path = parley`)
	exec(t, c, storetest.Schema1)
	exec(t, c, `SELECT setval('message_id', 1000)`)
	storetest.Upgraded(t, open(t, dsn, Options{}))
}

func TestAnIndexOfOlderWordsIsMadeAnew(t *testing.T) {
	dsn := pgtest.DSN(t)
	if err := migrateWith(t, dsn, firstSteps(t, storetest.SchemaBeforeStems)); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	exec(t, c, `SET search_path = parley`)
	exec(t, c, storetest.IndexBeforeStems(`'\x0001'`))
	storetest.UpgradedIndex(t, open(t, dsn, Options{}))
}

func TestADatabaseOfEverySchemaGoesOn(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	storetest.EverySchema(t, len(names), func(t *testing.T, n int) store.Store {
		dsn := pgtest.DSN(t)
		if err := migrateWith(t, dsn, firstSteps(t, 1)); err != nil {
			t.Fatal(err)
		}
		c := connect(t, dsn)
		exec(t, c, `SET search_path = parley`)
		exec(t, c, storetest.FirstContent)
		exec(t, c, `SELECT setval('message_id', 1000), setval('task_id', 1000)`)
		if err := migrateWith(t, dsn, firstSteps(t, n)); err != nil {
			t.Fatal(err)
		}
		return open(t, dsn, Options{})
	})
}
