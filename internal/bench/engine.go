package bench

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

const (
	engineSQLite   = "sqlite"
	enginePostgres = "postgres"
)

// errNoServer says that a database is not there to be measured.
var errNoServer = errors.New("there is no server")

// engine is one of the databases: it makes empty ones, and knows its limit.
type engine interface {
	name() string
	// create makes an empty database and returns its address.
	create(ctx context.Context) (address string, err error)
	// settle lets the database do now what it would else do by itself at some
	// time after much was written.
	settle(ctx context.Context, address string) error
	drop(ctx context.Context, address string) error
	// fillers is how many may fill a database at once.
	fillers() int
	// raw prepares the limit for so many callers.
	raw(ctx context.Context, callers int) (limit, error)
	close() error
}

// limit stores three rows in one transaction as fast as the driver can. It is
// what the hub is compared with.
type limit interface {
	insert(ctx context.Context, caller int, body string) error
	close() error
}

func (b *bench) openEngine(ctx context.Context, name string) (engine, error) {
	if name == engineSQLite {
		return &sqliteEngine{dir: b.dir}, nil
	}
	return openPostgres(ctx, b.options.Postgres, b.say)
}

// openStore opens a database that create made.
func openStore(ctx context.Context, engine, address string) (store.Store, error) {
	return openStoreIn(ctx, engine, address, 0)
}

// openStoreIn opens it for a hub with so much memory.
func openStoreIn(ctx context.Context, engine, address string, memory store.Memory) (store.Store, error) {
	switch engine {
	case engineSQLite:
		return orNil(sqlite.Open(address, sqlite.Options{Memory: memory}))
	case enginePostgres:
		return orNil(postgres.Open(ctx, address, postgres.Options{Memory: memory}))
	}
	return nil, fmt.Errorf("no engine is named %q", engine)
}

// orNil keeps a nil pointer from becoming a store that is not nil.
func orNil[S store.Store](s S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
