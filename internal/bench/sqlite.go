package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite" of database/sql
)

// sqliteEngine makes its databases in a folder.
type sqliteEngine struct {
	dir  string
	made int
}

func (e *sqliteEngine) name() string { return engineSQLite }

func (e *sqliteEngine) create(context.Context) (string, error) {
	e.made++
	return filepath.Join(e.dir, fmt.Sprintf("%d.db", e.made)), nil
}

// settle has nothing to do: the last connection that closed moved the log into
// the file.
func (e *sqliteEngine) settle(context.Context, string) error { return nil }

func (e *sqliteEngine) drop(_ context.Context, address string) error {
	files, err := filepath.Glob(address + "*") // with its log
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// fillers is one, as there is one writer.
func (e *sqliteEngine) fillers() int { return 1 }

func (e *sqliteEngine) close() error { return nil }

// raw opens a fresh file, so that its growth is the same in every slice.
func (e *sqliteEngine) raw(ctx context.Context, callers int) (limit, error) {
	path, err := e.create(ctx)
	if err != nil {
		return nil, err
	}
	w := &groupWriter{path: path, queue: make(chan *rawRows, maxGroup), done: make(chan struct{})}
	if err := w.open(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.callers = make([]rawRows, callers)
	for i := range w.callers {
		w.callers[i].done = make(chan error, 1)
	}
	go w.run(context.WithoutCancel(ctx))
	return w, nil
}

// maxGroup bounds how many callers share a commit.
const maxGroup = 256

// groupWriter is the yardstick: one goroutine with one connection of
// database/sql and prepared statements, which puts the rows of all waiting
// callers into one transaction and reaches stable storage once for them.
type groupWriter struct {
	path    string
	db      *sql.DB
	conn    *sql.Conn
	inserts [3]*sql.Stmt
	id      int64
	callers []rawRows
	queue   chan *rawRows
	running bool
	done    chan struct{}
}

type rawRows struct {
	caller int
	body   string
	done   chan error
}

const rawTables = `
	CREATE TABLE message (id INTEGER PRIMARY KEY, thread_id INTEGER NOT NULL, author_id INTEGER NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL);
	CREATE TABLE delivery (id INTEGER PRIMARY KEY, recipient_id INTEGER NOT NULL, delivered_at INTEGER NOT NULL, seen_at INTEGER NOT NULL);
	CREATE TABLE event (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, actor_id INTEGER NOT NULL, message_id INTEGER NOT NULL, at INTEGER NOT NULL);`

func (w *groupWriter) open(ctx context.Context) (err error) {
	if w.db, err = sql.Open("sqlite", w.path); err != nil {
		return err
	}
	if w.conn, err = w.db.Conn(ctx); err != nil {
		return err
	}
	for _, statement := range []string{"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", rawTables} {
		if _, err := w.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for i, statement := range []string{
		"INSERT INTO message (id, thread_id, author_id, body, at) VALUES (?, ?, ?, ?, ?)",
		"INSERT INTO delivery (id, recipient_id, delivered_at, seen_at) VALUES (?, ?, ?, ?)",
		"INSERT INTO event (id, kind, actor_id, message_id, at) VALUES (?, ?, ?, ?, ?)",
	} {
		if w.inserts[i], err = w.conn.PrepareContext(ctx, statement); err != nil {
			return err
		}
	}
	w.running = true
	return nil
}

func (w *groupWriter) insert(_ context.Context, caller int, body string) error {
	rows := &w.callers[caller]
	rows.caller, rows.body = caller, body
	w.queue <- rows
	return <-rows.done
}

func (w *groupWriter) run(ctx context.Context) {
	defer close(w.done)
	group := make([]*rawRows, 0, maxGroup)
	for first := range w.queue {
		group = append(group[:0], first)
		for waiting := true; waiting && len(group) < maxGroup; {
			select {
			case next, more := <-w.queue:
				if waiting = more; more {
					group = append(group, next)
				}
			default:
				waiting = false
			}
		}
		err := w.commit(ctx, group)
		for _, rows := range group {
			rows.done <- err
		}
	}
}

func (w *groupWriter) commit(ctx context.Context, group []*rawRows) error {
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, rows := range group {
		w.id++
		_, err := w.inserts[0].ExecContext(ctx, w.id, rows.caller, rows.caller, rows.body, w.id)
		if err == nil {
			_, err = w.inserts[1].ExecContext(ctx, w.id, rows.caller, w.id, 0)
		}
		if err == nil {
			_, err = w.inserts[2].ExecContext(ctx, w.id, "message.accepted", rows.caller, w.id, w.id)
		}
		if err != nil {
			return err
		}
	}
	_, err := w.conn.ExecContext(ctx, "COMMIT")
	return err
}

func (w *groupWriter) close() (err error) {
	if w.running {
		close(w.queue)
		<-w.done
	}
	for _, s := range w.inserts {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if w.conn != nil {
		err = errors.Join(err, w.conn.Close())
	}
	if w.db != nil {
		err = errors.Join(err, w.db.Close())
	}
	return errors.Join(err, (&sqliteEngine{}).drop(context.Background(), w.path))
}
