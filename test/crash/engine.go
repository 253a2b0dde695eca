package crash

import "context"

// engine is one of the databases that a hub can run on.
type engine struct {
	name string
	// new makes an empty one; what it returns is for the team's files, and opens
	// it for a look.
	new func(*ground) (team, func(*place) (database, error))
}

var engines = []engine{
	{"sqlite", func(*ground) (team, func(*place) (database, error)) {
		return team{}, func(p *place) (database, error) { return openSQLite(p.database()) }
	}},
	{"postgres", func(g *ground) (team, func(*place) (database, error)) {
		dsn := newDatabase(g)
		return team{store: dsn}, func(*place) (database, error) { return openPostgres(context.Background(), dsn) }
	}},
}
