package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
)

// Snapshot copies the database at path into a new file. A hub may be working on it:
// one read transaction sees one moment, and the writer continues beside it. What was
// removed from the database is not in the copy. It returns the copy's schema version,
// or 0 if no hub has created the database yet.
func Snapshot(ctx context.Context, path, into string) (schema int, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return 0, openError(path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.SetInterrupt(ctx.Done())
	c.SetBusyTimeout(10 * time.Second)
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	if schema, err = checkFile(c, path, len(steps)); err != nil || schema == 0 {
		return 0, openError(path, err)
	}
	if err := makePrivate(into); err != nil {
		return 0, err
	}
	// VACUUM INTO accepts an existing file if it is empty.
	err = sqlitex.ExecuteTransient(c, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{into}})
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("copy %s: %w", path, describe(err))
	}
	return schema, nil
}

// Size is roughly the most that a copy of the database can take.
func Size(path string) (bytes int64, err error) {
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err == nil {
			bytes += info.Size()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return bytes, nil
}

// Verify reads a whole database and compares its indexes with its tables.
func Verify(path string) error {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		return openError(path, err)
	}
	found := ""
	err = sqlitex.ExecuteTransient(c, "PRAGMA integrity_check(1)", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { found = s.ColumnText(0); return nil },
	})
	if err = errors.Join(err, c.Close()); err == nil && found != "ok" {
		err = parley.Errorf(parley.Internal, "The database %s is damaged.", path).WithCause(errors.New(found))
	}
	return err
}
