package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/store"
)

// checkedBytes is the size up to which a whole file is checked for damage. More would
// take too long.
const checkedBytes = 256 << 20

// Inspect looks at the database at path. No hub may have it open.
func Inspect(path string) (store.Health, error) {
	h, err := inspect(path)
	if err != nil {
		return h, openError(path, err)
	}
	return h, nil
}

func inspect(path string) (h store.Health, err error) {
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return h, err
	}
	h.Known = len(steps)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	h.Exists = true
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if h.Schema, err = checkFile(c, path, h.Known); err != nil || h.Schema == 0 {
		return h, err
	}
	if info.Size() <= checkedBytes {
		if err := readThrough(c, path); err != nil {
			return h, err
		}
	}
	err = sqlitex.ExecuteTransient(c, "SELECT at FROM event ORDER BY id DESC LIMIT 1", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { h.Newest = parley.Micros(s.ColumnInt64(0)); return nil },
	})
	return h, err
}

// readThrough checks every page for damage.
func readThrough(c *sqlite.Conn, path string) error {
	found := ""
	err := sqlitex.ExecuteTransient(c, "PRAGMA quick_check(1)", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { found = s.ColumnText(0); return nil },
	})
	if err == nil && found != "ok" {
		return parley.Errorf(parley.Internal, "The database %s is damaged.", path).
			WithHint("Restore it from a backup.").WithCause(fmt.Errorf("quick_check: %s", found))
	}
	return err
}
