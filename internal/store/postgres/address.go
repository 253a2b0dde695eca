package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"parley"
)

// defaultConns is where sharing commits has brought most of its gain. It also lets
// two hubs fit into the 100 connections that a server allows by default.
const defaultConns = 40

// address is where the database is. It prints without secrets.
type address struct {
	pool   *pgxpool.Config
	schema string
	// first and later are for a transaction's first try, and for the others.
	first, later times
}

// times are how long a transaction may idle, and wait for one lock.
type times struct{ idle, wait string }

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// parseAddress reads the DSN. Its errors neither quote the DSN nor wrap the parser's
// error: both may contain the password.
func parseAddress(dsn string, maxConns int) (address, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return address{}, parley.Errorf(parley.Invalid, "The address of the PostgreSQL database cannot be read.").
			WithHint("It looks like postgres://user:password@host:5432/database; special characters in the password are percent-encoded (@ is %%40, / is %%2F).")
	}
	a := address{pool: config, schema: "parley", first: firstTimes, later: laterTimes}
	a.takeOver("search_path", &a.schema)
	a.takeOver("idle_in_transaction_session_timeout", &a.first.idle, &a.later.idle)
	a.takeOver("lock_timeout", &a.first.wait, &a.later.wait)
	if !plainName.MatchString(a.schema) || strings.HasPrefix(a.schema, "pg_") {
		return address{}, parley.Errorf(parley.Invalid, "%q cannot be the schema of parley's tables.", a.schema).
			WithHint("Let search_path name one schema, in small letters, digits and _.")
	}
	switch {
	case maxConns > 0:
		config.MaxConns = int32(maxConns)
	case !strings.Contains(dsn, "pool_max_conns"):
		config.MaxConns = defaultConns
	}
	config.AfterConnect = a.configure
	if _, ok := config.ConnConfig.RuntimeParams["application_name"]; !ok {
		config.ConnConfig.RuntimeParams["application_name"] = "parley"
	}
	return a, nil
}

// takeOver uses what the address says in place of our own settings.
func (a address) takeOver(name string, settings ...*string) {
	params := a.pool.ConnConfig.RuntimeParams
	if value, ok := params[name]; ok {
		for _, s := range settings {
			*s = value
		}
		delete(params, name)
	}
}

func (a address) String() string {
	c := a.pool.ConnConfig
	if strings.HasPrefix(c.Host, "/") {
		return fmt.Sprintf("database %s on %s", c.Database, c.Host)
	}
	return fmt.Sprintf("database %s on %s:%d", c.Database, c.Host, c.Port)
}

// connect opens a connection beside the pool.
func (a address) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ConnectConfig(ctx, a.pool.ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	if err := a.configure(ctx, c); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return c, nil
}

// A hub that is frozen or whose machine fails within a transaction holds row locks
// that the others wait for. The server therefore ends a connection that is idle in a
// transaction, which a living hub hardly ever is for so long. The connections of a
// frozen hub may also wait for a lock, and each would be given it in turn and idle with
// it. So nobody waits for long at once. A living hub runs the transaction again and
// gets more time for it. Together this bounds how long a frozen hub holds up the others.
var (
	firstTimes = times{idle: "300ms", wait: "300ms"}
	laterTimes = times{idle: "1s", wait: "1s"}
)

// settings apply to every connection.
//
// Acknowledged work must survive a power loss, so a server that is set not to wait for
// its log is overruled. Every statement has one good plan whatever its arguments, so
// none is planned again.
const settings = `SELECT set_config('search_path', $1, false),
	set_config('default_transaction_isolation', 'read committed', false),
	set_config('idle_in_transaction_session_timeout', $2, false),
	set_config('lock_timeout', $3, false),
	set_config('tcp_keepalives_idle', '30', false),
	set_config('tcp_keepalives_interval', '10', false),
	set_config('tcp_keepalives_count', '3', false),
	set_config('jit', 'off', false),
	set_config('plan_cache_mode', 'force_generic_plan', false),
	CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END`

func (a address) configure(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, settings, pgx.QueryExecModeExec, a.schema, a.first.idle, a.first.wait)
	return err
}
