package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/jackc/pgx/v5"

	"parley"
)

// migrations are applied in the order of their names. The version of a schema is the
// number of migrations applied to it.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date in one transaction: all of it or nothing. Hubs
// that start at the same time wait for each other.
func migrate(ctx context.Context, c *pgx.Conn, schema string, steps fs.FS) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		// A migration of a large table takes longer than any other transaction.
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = '5s'`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('parley'), hashtext($1))`, schema); err != nil {
			return err
		}
		version, err := prepareSchema(ctx, tx, schema)
		if err != nil {
			return err
		}
		if err := upgrade(ctx, tx, schema, steps, version); err != nil {
			return err
		}
		return raiseBase(ctx, tx)
	})
}

// prepareSchema creates the schema and its table of migrations where they are
// missing. A user who may not create schemas can be given an empty one.
func prepareSchema(ctx context.Context, tx pgx.Tx, schema string) (version int, err error) {
	var ready, exists bool
	err = tx.QueryRow(ctx, `SELECT to_regnamespace($1) IS NOT NULL, to_regclass($1 || '.migration') IS NOT NULL`, schema).
		Scan(&exists, &ready)
	if err != nil {
		return 0, err
	}
	if !exists {
		if _, err := tx.Exec(ctx, `CREATE SCHEMA `+schema); err != nil {
			return 0, err
		}
	}
	if !ready {
		_, err := tx.Exec(ctx, `CREATE TABLE `+schema+`.migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL)`)
		return 0, err
	}
	err = tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM migration`).Scan(&version)
	return version, err
}

func upgrade(ctx context.Context, tx pgx.Tx, schema string, steps fs.FS, version int) error {
	names, err := fs.Glob(steps, "migrations/*.sql")
	if err != nil {
		return err
	}
	if err := checkVersion(schema, version, len(names)); err != nil {
		return err
	}
	for i := version; i < len(names); i++ {
		if err := apply(ctx, tx, steps, names[i], i+1); err != nil {
			return fmt.Errorf("migration %s: %w", path.Base(names[i]), err)
		}
	}
	return nil
}

// checkVersion refuses a schema that a newer program made.
func checkVersion(schema string, version, known int) error {
	if version > known {
		return parley.Errorf(parley.Invalid, "The schema %s in the database was written by a newer parley (schema %d, this program knows %d).", schema, version, known).
			WithHint("Install that version or a later one.")
	}
	return nil
}

func apply(ctx context.Context, tx pgx.Tx, steps fs.FS, name string, version int) error {
	text, err := fs.ReadFile(steps, name)
	if err != nil {
		return err
	}
	// Only the simple protocol takes several statements in one text.
	if _, err := tx.Conn().PgConn().Exec(ctx, string(text)).ReadAll(); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO migration (version, name) VALUES ($1, $2)`, version, path.Base(name))
	return err
}

// raiseBase keeps the numbers of events and steps growing after a dump was restored into a
// server whose transaction numbers are lower than the recorded ones. Without it, new
// ones would sort before the old ones and readers would never see them.
func raiseBase(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT attrelid::regclass::text FROM pg_attribute
		WHERE attname = 'xid' AND NOT attisdropped AND attrelid IN (to_regclass('event'), to_regclass('step'))`)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := raiseAbove(ctx, tx, table); err != nil {
			return err
		}
	}
	return nil
}

// raiseAbove makes the next numbers higher than those of a table.
func raiseAbove(ctx context.Context, tx pgx.Tx, table string) error {
	var newest int64
	err := tx.QueryRow(ctx, `SELECT max(xid) FROM `+table+`
		HAVING max(xid) >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + event_base()`).Scan(&newest)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(
		`CREATE OR REPLACE FUNCTION event_base() RETURNS BIGINT LANGUAGE SQL STABLE PARALLEL SAFE AS 'SELECT %d::bigint'`, newest))
	return err
}
