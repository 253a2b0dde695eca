package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// database is read by our own statements: a checker that asked the product what the
// product stored would share its mistakes.
type database interface {
	// each runs a statement and hands every row to row.
	each(sql string, row func(cells)) error
	// empty reports whether no hub has got as far as creating all of its tables: a
	// team is stored after that.
	empty() (bool, error)
	// order is an expression for the order in which the rows of a table were
	// committed.
	order() string
	// group is an expression for the number of the transaction that recorded an
	// event, the first half of its cursor.
	group() string
	// stepOrder is the same for steps.
	stepOrder() string
	close() error
}

// cells is the present row.
type cells interface {
	Int(col int) int64
	Text(col int) string
}

func noTeam(db database) (bool, error) {
	teams := int64(0)
	err := db.each("SELECT count(*) FROM team", func(c cells) { teams = c.Int(0) })
	return teams == 0, err
}

// sqliteFile is a copy of a database file. The hub must be dead: its file is
// copied together with the log beside it, so that recovering from that log is
// left to the next hub. A hub that was killed before it made its folder leaves nothing,
// which is an empty database.
type sqliteFile struct {
	conn *sqlite.Conn
	dir  string
}

func openSQLite(path string) (_ database, err error) {
	dir, err := os.MkdirTemp("", "parley-look-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	copied := filepath.Join(dir, "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(path+suffix, copied+suffix); err != nil {
			return nil, err
		}
	}
	conn, err := sqlite.OpenConn(copied, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	return &sqliteFile{conn: conn, dir: dir}, nil
}

// copyFile copies a file, if it is there.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (f *sqliteFile) each(sql string, row func(cells)) error {
	err := sqlitex.ExecuteTransient(f.conn, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		row(sqliteRow{s})
		return nil
	}})
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

func (f *sqliteFile) empty() (bool, error) {
	tables := int64(0)
	err := f.each("SELECT count(*) FROM sqlite_schema", func(c cells) { tables = c.Int(0) })
	if tables == 0 || err != nil {
		return true, err
	}
	return noTeam(f)
}

// The time of a record is its order: there is one writer, and its clock does
// not go back.
func (f *sqliteFile) order() string { return "at" }
func (f *sqliteFile) group() string { return "0" }

// Each step has a time of its own: several that were stored at one moment, or while the
// clock stands still, follow each other by a microsecond.
func (f *sqliteFile) stepOrder() string { return "at - 1000" }

func (f *sqliteFile) close() error { return errors.Join(f.conn.Close(), os.RemoveAll(f.dir)) }

type sqliteRow struct{ s *sqlite.Stmt }

func (r sqliteRow) Int(col int) int64   { return r.s.ColumnInt64(col) }
func (r sqliteRow) Text(col int) string { return r.s.ColumnText(col) }

// postgresDatabase is one snapshot of a database that hubs may be working on.
type postgresDatabase struct {
	conn *pgx.Conn
	tx   pgx.Tx
}

func openPostgres(ctx context.Context, dsn string) (database, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "SET search_path = parley"); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return &postgresDatabase{conn: conn, tx: tx}, nil
}

func (d *postgresDatabase) each(sql string, row func(cells)) error {
	rows, err := d.tx.Query(context.Background(), sql)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		row(postgresRow(values))
	}
	return rows.Err()
}

func (d *postgresDatabase) empty() (bool, error) {
	tables := int64(0)
	err := d.each("SELECT count(*) FROM pg_tables WHERE schemaname = 'parley'", func(c cells) { tables = c.Int(0) })
	if tables == 0 || err != nil {
		return true, err
	}
	return noTeam(d)
}

// Transactions commit in another order than they take their time, so the
// server is asked; it is started with track_commit_timestamp.
func (d *postgresDatabase) stepOrder() string { return d.order() }

func (d *postgresDatabase) group() string { return "xid" }

func (d *postgresDatabase) order() string {
	return "(extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000000)::bigint"
}

func (d *postgresDatabase) close() error {
	ctx := context.Background()
	return errors.Join(d.tx.Rollback(ctx), d.conn.Close(ctx))
}

type postgresRow []any

func (r postgresRow) Int(col int) int64 {
	n, _ := r[col].(int64)
	return n
}

func (r postgresRow) Text(col int) string {
	s, _ := r[col].(string)
	return s
}
