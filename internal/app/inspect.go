package app

import (
	"context"

	"parley/internal/config"
	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

// Health is what Inspect finds out about a team's database.
type Health = store.Health

// Inspect looks at a team's database without changing it. A SQLite file must
// not be in use by a hub.
func Inspect(ctx context.Context, s config.Store) (Health, error) {
	if s.Driver == config.Postgres {
		return postgres.Inspect(ctx, s.DSN())
	}
	return sqlite.Inspect(s.Path)
}
