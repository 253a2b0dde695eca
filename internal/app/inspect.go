package app

import (
	"context"
	"time"

	"parley/internal/config"
	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

// Health is what a look at a team's database tells.
type Health struct {
	// Exists is false for a database that the first hub will make.
	Exists bool
	// Schema is the version it has, Known the one that this program brings it to.
	Schema, Known int
	// Newest is the time of the newest record; zero if there is none.
	Newest time.Time
}

// Inspect looks at a team's database without changing it. A SQLite file must
// not be in use by a hub.
func Inspect(ctx context.Context, s config.Store) (Health, error) {
	var found store.Health
	var err error
	if s.Driver == config.Postgres {
		found, err = postgres.Inspect(ctx, s.DSN())
	} else {
		found, err = sqlite.Inspect(s.Path)
	}
	h := Health{Exists: found.Exists, Schema: found.Schema, Known: found.Known}
	if found.Newest > 0 {
		h.Newest = found.Newest.Time()
	}
	return h, err
}
