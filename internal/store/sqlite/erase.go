package sqlite

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/store"
)

const (
	// emptyTries and emptyPause limit how long emptyLog keeps trying while somebody
	// reads from the log.
	emptyTries = 100
	emptyPause = 50 * time.Millisecond
)

// Erase overwrites what fn removes with zeros, then empties the log, which still has
// the old pages.
func (s *Store) Erase(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := describe(s.writer.hand(fn, true)); err != nil {
		return err
	}
	return s.emptyLog(ctx)
}

// emptyLog copies the log into the file and truncates it. It uses its own connection
// with a short timeout, so that no writer waits for a slow reader.
func (s *Store) emptyLog(ctx context.Context) (err error) {
	c, err := sqlite.OpenConn(s.path, sqlite.OpenReadWrite|s.flags)
	if err != nil {
		return openError(s.path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.SetBusyTimeout(emptyPause)
	for range emptyTries {
		busy := 1
		err := sqlitex.ExecuteTransient(c, "PRAGMA wal_checkpoint(TRUNCATE)", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error { busy = s.ColumnInt(0); return nil },
		})
		if err == nil && busy == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(emptyPause):
		}
	}
	return parley.Errorf(parley.Unavailable, "The text is gone from the records, but still in the database's log, which is in use.").
		WithHint("Repeat the command in a moment; stopping the hub empties the log too.")
}
