package postgres

import (
	"context"
	"io/fs"

	"parley/internal/store"
)

// Inspect looks at the database at dsn. Other hubs may be working on it.
func Inspect(ctx context.Context, dsn string) (store.Health, error) {
	a, err := parseAddress(dsn, 1)
	if err != nil {
		return store.Health{}, err
	}
	h, err := inspect(ctx, a)
	if err != nil {
		return h, a.openError(err)
	}
	return h, nil
}

func inspect(ctx context.Context, a address) (h store.Health, err error) {
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return h, err
	}
	h.Known = len(steps)
	c, err := a.connect(ctx)
	if err != nil {
		return h, err
	}
	defer func() { _ = c.Close(ctx) }()
	if err := (&Store{address: a}).checkServer(ctx, c); err != nil {
		return h, err
	}
	err = c.QueryRow(ctx, `SELECT to_regclass($1 || '.migration') IS NOT NULL`, a.schema).Scan(&h.Exists)
	if err != nil || !h.Exists {
		return h, err
	}
	if err := c.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM migration`).Scan(&h.Schema); err != nil {
		return h, err
	}
	if err := checkVersion(a.schema, h.Schema, h.Known); err != nil {
		return h, err
	}
	err = c.QueryRow(ctx, newestTime).Scan(&h.Newest)
	return h, err
}
