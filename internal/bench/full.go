//go:build bench

package bench

import (
	"fmt"

	"parley/internal/pgtest"
)

// Full says that this program measures everything.
const Full = true

// startServer starts a PostgreSQL that writes to stable storage as in production.
func startServer(say func(string, ...any)) (server, error) {
	if _, err := pgtest.Find(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoServer, err)
	}
	say("postgres: starting a temporary server")
	return pgtest.Start("", pgtest.Options{Durable: true, MaxConnections: 2 * minConnections})
}
