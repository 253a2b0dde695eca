// Package postgres keeps the store in a PostgreSQL database, which several hubs may
// share.
//
// A closure gets its own connection for one transaction. Its writes are deferred and
// sent with its next read or with the commit, so a closure that reads once and then
// writes costs two round trips however much it writes. Transactions run at READ
// COMMITTED and take row locks where the statements ask for them. A transaction that
// loses a conflict runs again. Where many callers write at once, closures that are marked
// for it share a transaction (share.go).
//
// The signals of a committed transaction reach this hub's bus at once. They reach the
// other hubs by NOTIFY, sent by one goroutine per hub that collects what arrives
// while it is sending. A hub that lost its listening connection tells everybody on
// its own bus to look again once it is back.
package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// Options configure Open. The zero value is ready for use.
type Options struct {
	Clock parley.Clock // time.Now by default
	// MaxConns is how many transactions may run at once; 40 by default, or the
	// address's pool_max_conns. Two more connections carry the signals.
	MaxConns int
	// Patience is how long work waits for a database that is unavailable, for example
	// because it restarts; 10 seconds by default.
	Patience time.Duration
	// Crowd is how many transactions run at once before more of them are done together;
	// 8 by default. Negative has all of them done so that can be, for tests.
	Crowd int
	// Memory is the hub's bound, of which the store takes its share.
	Memory store.Memory
	Log    *slog.Logger // discarded by default
}

func (o *Options) fill() {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Crowd == 0 {
		o.Crowd = defaultCrowd
	}
	o.Crowd = max(o.Crowd, 0)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Store is a store.Store in a PostgreSQL database.
type Store struct {
	address  address
	patience time.Duration
	queueing time.Duration
	pool     *pgxpool.Pool
	bus      wake.Bus
	recent   store.Recent
	clock    *store.Clock
	ids      sequences
	notifier *notifier
	listener *listener
	server   string // its version
	counting atomic.Pointer[counter]
	updates  atomic.Int32 // under way
	crowd    int          // above so many of them are shared
	lanes    lanes
	closed   atomic.Bool
}

var _ store.Store = (*Store)(nil)

// Open connects to the database at dsn, in either notation that libpq knows, and
// brings its schema up to date. The tables are in their own schema, "parley", or in
// the one that the address names as search_path. A pooler in between must give each
// connection its own session.
func Open(ctx context.Context, dsn string, opts Options) (*Store, error) {
	opts.fill()
	a, err := parseAddress(dsn, opts.MaxConns)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, a.pool)
	if err != nil {
		return nil, a.openError(err)
	}
	s := &Store{address: a, patience: opts.Patience, queueing: maxQueueing, pool: pool, crowd: opts.Crowd}
	s.recent.Limit(opts.Memory.Texts())
	s.bus.Listen(wake.Redacted, func(id int64) { s.recent.Forget(parley.MessageID(id)) })
	newest, present, err := s.prepare(ctx)
	if err != nil {
		pool.Close()
		return nil, a.openError(err)
	}
	s.clock = store.NewClock(opts.Clock, newest, present.Time())
	if err := s.startSignals(ctx, opts.Log); err != nil {
		pool.Close()
		return nil, a.openError(err)
	}
	return s, nil
}

// prepare makes the database ready. It tries again if this process was held up so long
// that the server ended the transaction, and with it the connection: whoever writes
// first finds only that it is gone.
func (s *Store) prepare(ctx context.Context) (newest, present parley.Micros, err error) {
	for range maxPrepare {
		var lost bool
		newest, present, lost, err = s.prepareOnce(ctx)
		if !lost {
			break
		}
	}
	return newest, present, err
}

const maxPrepare = 5

// prepareOnce checks the server, migrates, and reads the newest time on record and
// the server's present time.
func (s *Store) prepareOnce(ctx context.Context) (newest, present parley.Micros, lost bool, err error) {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return 0, 0, false, err
	}
	defer func() {
		lost = err != nil && c.Conn().IsClosed()
		c.Release()
	}()
	if err := s.checkServer(ctx, c.Conn()); err != nil {
		return 0, 0, false, err
	}
	if err := migrate(ctx, c.Conn(), s.address.schema, migrations); err != nil {
		return 0, 0, false, err
	}
	if err := c.QueryRow(ctx, newestTime).Scan(&newest); err != nil {
		return 0, 0, false, err
	}
	err = c.QueryRow(ctx, presentTime).Scan(&present)
	return newest, present, false, err
}

// newestTime looks at more than the last event: the hubs' clocks differ a little, so
// the last one need not be the newest.
const newestTime = `SELECT coalesce(max(at), 0) FROM (SELECT at FROM event ORDER BY xid DESC, id DESC LIMIT 1000) e`

const presentTime = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

// minVersion is the first server that has pg_current_xact_id.
const minVersion = 130000

func (s *Store) checkServer(ctx context.Context, c *pgx.Conn) error {
	var version int
	var standby bool
	err := c.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1), current_setting('server_version_num')::int, pg_is_in_recovery()`).
		Scan(&s.server, &version, &standby)
	if err != nil {
		return err
	}
	if version < minVersion {
		return parley.Errorf(parley.Invalid, "The server at %s is PostgreSQL %s; parley needs 13 or later.", s.address, s.server)
	}
	if standby {
		return parley.Errorf(parley.Unavailable, "The server at %s is a standby and cannot be written to.", s.address).
			WithHint("Give the address of the primary, or name all servers and add target_session_attrs=read-write.")
	}
	return nil
}

func (s *Store) startSignals(ctx context.Context, log *slog.Logger) error {
	hub := rand.Text()[:10]
	s.listener = newListener(s.address, hub, &s.bus, log)
	if err := s.listener.start(ctx); err != nil {
		return err
	}
	s.notifier = newNotifier(s.address, hub, log)
	s.notifier.start()
	return nil
}

func (s *Store) Bus() *wake.Bus { return &s.bus }

// AwaitSync returns at once: every commit is on stable storage when Update returns.
func (s *Store) AwaitSync(context.Context) error { return nil }

func (s *Store) Recent() *store.Recent { return &s.recent }

// Shared is true: other hubs may work on the same database.
func (s *Store) Shared() bool { return true }

func (s *Store) Behind() time.Duration { return s.clock.Behind() }

func (s *Store) Describe() string { return fmt.Sprintf("postgresql %s, %s", s.server, s.address) }

// Close waits for the running transactions, tells the other hubs about them, and
// closes all connections.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.pool.Close()
	s.notifier.stop()
	s.listener.stop()
	return nil
}
