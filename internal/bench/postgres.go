package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"parley"
)

// postgresEngine keeps its databases apart as schemas, which are cheaper to
// make and need fewer rights. The server is the one given, or a temporary one
// that writes to stable storage as in production.
type postgresEngine struct {
	address string
	server  server // nil if it is not ours
	prefix  string // of the schemas
	made    int
}

// server is one that was started for the measurement.
type server interface {
	DSN(database string) string
	Stop() error
}

// minConnections is what the hub's pool, the limit and we ourselves need at
// the same time.
const minConnections = 150

func openPostgres(ctx context.Context, dsn string, say func(string, ...any)) (engine, error) {
	e := &postgresEngine{address: dsn, prefix: "parley_bench_" + strings.ToLower(rand.Text()[:8])}
	if dsn == "" {
		server, err := startServer(say)
		if err != nil {
			return nil, err
		}
		e.server, e.address = server, server.DSN("postgres")
	}
	if err := e.check(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *postgresEngine) check(ctx context.Context) error {
	return e.connected(ctx, e.address, func(c *pgx.Conn) error {
		var most int
		if err := c.QueryRow(ctx, `SELECT current_setting('max_connections')::int`).Scan(&most); err != nil {
			return err
		}
		if most < minConnections {
			return parley.Errorf(parley.Invalid, "The server allows %d connections; the measurement needs %d.", most, minConnections).
				WithHint("Raise max_connections, or give no address: a temporary server is started then.")
		}
		return nil
	})
}

func (e *postgresEngine) name() string { return enginePostgres }

// create only names a schema; whoever opens it first makes it.
func (e *postgresEngine) create(context.Context) (string, error) {
	e.made++
	return inSchema(e.address, fmt.Sprintf("%s_%d", e.prefix, e.made))
}

// inSchema points an address, in either of its two spellings, at a schema.
func inSchema(address, schema string) (string, error) {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return address + " search_path=" + schema, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", parley.Errorf(parley.Invalid, "The address of the PostgreSQL server cannot be read.").WithCause(err)
	}
	values := u.Query()
	values.Set("search_path", schema)
	u.RawQuery = values.Encode()
	return u.String(), nil
}

func schemaOf(address string) (string, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return "", err
	}
	return config.RuntimeParams["search_path"], nil
}

// settle does what autovacuum would begin a minute after the filling, in the
// middle of a slice.
func (e *postgresEngine) settle(ctx context.Context, address string) error {
	return e.connected(ctx, address, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		_, err = c.Exec(ctx, "VACUUM ANALYZE "+strings.Join(tables, ", "))
		if err == nil && e.server != nil {
			_, err = c.Exec(ctx, "CHECKPOINT")
		}
		return err
	})
}

func (e *postgresEngine) drop(ctx context.Context, address string) error {
	schema, err := schemaOf(address)
	if err != nil {
		return err
	}
	return e.execute(context.WithoutCancel(ctx), e.address, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
}

// fillers keeps the server and this process busy at the same time.
func (e *postgresEngine) fillers() int { return 4 }

func (e *postgresEngine) close() error {
	if e.server == nil {
		return nil
	}
	return e.server.Stop()
}

func (e *postgresEngine) execute(ctx context.Context, address, statement string) error {
	return e.connected(ctx, address, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, statement)
		return err
	})
}

func (e *postgresEngine) connected(ctx context.Context, address string, do func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	err = do(c)
	return errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

// raw gives every caller a connection.
func (e *postgresEngine) raw(ctx context.Context, callers int) (limit, error) {
	address, err := e.create(ctx)
	if err != nil {
		return nil, err
	}
	l := &statementLimit{engine: e, address: address}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.close())
	}
	for range callers {
		c, err := pgx.Connect(ctx, address)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.conns = append(l.conns, c)
	}
	return l, nil
}

// statementLimit is the yardstick: three rows in one statement, which is the
// least that a transaction can cost here, on a connection of the caller's own.
type statementLimit struct {
	engine  *postgresEngine
	address string
	conns   []*pgx.Conn
	id      atomic.Int64
}

const rawTablesPostgres = `
	CREATE TABLE message (id BIGINT PRIMARY KEY, thread_id BIGINT NOT NULL, author_id BIGINT NOT NULL, body TEXT NOT NULL, at BIGINT NOT NULL);
	CREATE TABLE delivery (id BIGINT PRIMARY KEY, recipient_id BIGINT NOT NULL, delivered_at BIGINT NOT NULL, seen_at BIGINT NOT NULL);
	CREATE TABLE event (id BIGINT PRIMARY KEY, kind TEXT NOT NULL, actor_id BIGINT NOT NULL, message_id BIGINT NOT NULL, at BIGINT NOT NULL);`

const rawStatement = `
	WITH m AS (INSERT INTO message (id, thread_id, author_id, body, at) VALUES ($1, $2, $2, $3, $1)),
	     d AS (INSERT INTO delivery (id, recipient_id, delivered_at, seen_at) VALUES ($1, $2, $1, 0))
	INSERT INTO event (id, kind, actor_id, message_id, at) VALUES ($1, 'message.accepted', $2, $1, $1)`

func (l *statementLimit) open(ctx context.Context) error {
	schema, err := schemaOf(l.address)
	if err != nil {
		return err
	}
	return errors.Join(l.engine.execute(ctx, l.address, "CREATE SCHEMA "+schema), l.engine.execute(ctx, l.address, rawTablesPostgres))
}

func (l *statementLimit) insert(ctx context.Context, caller int, body string) error {
	_, err := l.conns[caller].Exec(ctx, rawStatement, l.id.Add(1), int64(caller), body)
	return err
}

func (l *statementLimit) close() (err error) {
	for _, c := range l.conns {
		err = errors.Join(err, c.Close(context.Background()))
	}
	return errors.Join(err, l.engine.drop(context.Background(), l.address))
}
