package sqlite

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks the file as ours ("prly"), so that we refuse another program's
// database before writing to it.
const applicationID = 0x70726c79

// migrate brings the schema up to date, one step per transaction. The version is the
// number of steps applied.
//
// configure prepares the connection. It writes to the file, so it runs only once the
// file is known to be ours.
func migrate(c *sqlite.Conn, file string, from fs.FS, configure func() error) error {
	steps, err := fs.Glob(from, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := checkFile(c, file, len(steps))
	if err != nil {
		return err
	}
	if err := configure(); err != nil {
		return err
	}
	for i := version; i < len(steps); i++ {
		if err := apply(c, from, steps[i], i+1); err != nil {
			return fmt.Errorf("migration %s: %w", path.Base(steps[i]), err)
		}
	}
	return nil
}

// checkFile reads the version of a file, which must be ours or empty.
func checkFile(c *sqlite.Conn, file string, known int) (version int, err error) {
	app, err := readInt(c, "PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	version, err = readInt(c, "PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	tables, err := readInt(c, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return 0, err
	}
	if tables > 0 && app != applicationID {
		return 0, parley.Errorf(parley.Invalid, "%s is the database of another program.", file).
			WithHint("Choose another data folder.")
	}
	if version > known {
		return 0, parley.Errorf(parley.Invalid, "%s was written by a newer parley (schema %d, this program knows %d).", file, version, known).
			WithHint("Install that version or a later one.")
	}
	return version, nil
}

// readInt reads one number. With a damaged file even preparing the statement may
// fail.
func readInt(c *sqlite.Conn, sql string) (int, error) {
	stmt, err := c.Prepare(sql)
	if err != nil {
		return 0, err
	}
	return sqlitex.ResultInt(stmt)
}

func apply(c *sqlite.Conn, from fs.FS, step string, version int) (err error) {
	text, err := fs.ReadFile(from, step)
	if err != nil {
		return err
	}
	end, err := sqlitex.ImmediateTransaction(c)
	if err != nil {
		return err
	}
	defer end(&err)
	err = sqlitex.ExecuteScript(c, string(text), nil)
	return errors.Join(err,
		sqlitex.ExecuteTransient(c, fmt.Sprintf("PRAGMA application_id = %d", applicationID), nil),
		sqlitex.ExecuteTransient(c, fmt.Sprintf("PRAGMA user_version = %d", version), nil))
}
