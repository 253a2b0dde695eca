// Package sqlite keeps the store in one SQLite file: WAL, one writer goroutine that
// commits the work of many callers at once, a syncer that brings commits onto stable
// storage before anybody is told of them, and a pool of readers that never wait for the
// writer.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite/logvfs"
	"parley/internal/wake"
)

// Options configure Open. The zero value is ready for use.
type Options struct {
	Clock parley.Clock // time.Now by default
	// Readers is how many reads may run at once; 4 by default.
	Readers int
	// Synchronous is FULL by default: what is acknowledged survives a power loss. With
	// OFF it does not; tests use it to be fast, and to show that they would notice.
	Synchronous string
	// Memory is the hub's bound, of which the store takes its shares.
	Memory store.Memory

	checks bool       // for tests: see writer
	limits tailLimits // usualLimits by default
}

func (o *Options) fill() {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Readers <= 0 {
		o.Readers = 4
	}
	if o.Synchronous == "" {
		o.Synchronous = "FULL"
	}
	switch {
	case o.limits != tailLimits{}:
	case o.checks:
		o.limits = checkedLimits
	default:
		o.limits = usualLimits
	}
}

// Store is a store.Store in one file.
type Store struct {
	path    string
	flags   sqlite.OpenFlags // for all its connections, besides those of each purpose
	bus     wake.Bus
	writer  *writer
	readers chan *conn
	recent  store.Recent
	clock   *store.Clock
	locked  *os.File
	log     *os.File // to sync it; nil if nothing has to last
	closing sync.Once
	tail    *tail
	// counting gathers what statements touch while somebody measures.
	counting atomic.Pointer[counter]
}

var _ store.Store = (*Store)(nil)

// Open opens or creates the database at path and brings its schema up to
// date.
func Open(path string, opts Options) (*Store, error) {
	opts.fill()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, openError(path, err)
	}
	locked, err := lock(path)
	if err != nil {
		return nil, openError(path, err)
	}
	s := newStore(path, opts)
	s.locked = locked
	err = makePrivate(path)
	if err == nil {
		err = s.open(opts)
	}
	if err != nil {
		return nil, errors.Join(openError(path, err), s.closeFiles())
	}
	return s, nil
}

func newStore(path string, opts Options) *Store {
	s := &Store{path: path, readers: make(chan *conn, opts.Readers), tail: newTail()}
	s.recent.Limit(opts.Memory.Texts())
	s.bus.Listen(wake.Redacted, func(id int64) { s.recent.Forget(parley.MessageID(id)) })
	return s
}

// makePrivate creates the file for its owner alone, before SQLite would create it for
// everybody. SQLite gives the files beside it the same mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Store) open(opts Options) error {
	c, err := s.connectWriter()
	if err != nil {
		return err
	}
	err = migrate(c.raw, s.path, migrations, func() error { return c.configure(opts, opts.Memory.WriterPages()) })
	if err == nil {
		err = s.start(c, opts)
	}
	if err != nil {
		c.close()
	}
	return err
}

func (s *Store) start(c *conn, opts Options) error {
	c.hot, c.later = store.NewHot(), &later{} // before anything is prepared: it goes by them
	newest, err := c.loadSequences()
	if err == nil {
		err = c.loadTail()
	}
	if err == nil && opts.Synchronous == "FULL" {
		err = s.openLog(c)
	}
	if err == nil { // pages reach the log only with their commit: see logvfs
		err = sqlitex.ExecuteTransient(c.raw, "PRAGMA cache_spill = OFF", nil)
	}
	if err != nil {
		return err
	}
	s.clock = store.NewClock(opts.Clock, newest, opts.Clock())
	for range opts.Readers {
		r, err := s.connect(s.path, sqlite.OpenReadWrite)
		if err == nil {
			s.readers <- r
			s.tail.readers = append(s.tail.readers, &r.since)
			err = errors.Join(r.configure(opts, opts.Memory.ReaderPages()), r.mapFile())
		}
		if err != nil {
			s.closeReaders(len(s.readers))
			return err
		}
	}
	c.writes, c.limits = true, opts.limits
	s.writer = newWriter(c, s.clock, newSyncer(s.log, s.bus.Publish))
	s.writer.checks = opts.checks
	go s.writer.syncer.run()
	go s.writer.run()
	return nil
}

// openLog opens the log for syncing, for which a handle that reads is enough. What a hub
// that was killed has left in it may have reached only the system, which after a failed sync
// calls it stored, and from now on everybody may see it. So it is first copied into the file,
// which is synced.
func (s *Store) openLog(c *conn) error {
	if err := c.Query(store.Query{SQL: "PRAGMA wal_checkpoint(PASSIVE)", Row: func(store.Row) {}}); err != nil {
		return err
	}
	path, err := c.logPath()
	if err == nil {
		s.log, err = os.Open(path)
	}
	if err != nil {
		return err
	}
	return s.log.Sync() // of what another program's open read kept from being copied
}

// logPath is where the log is, whatever links lead to the database. A store in memory has
// none.
func (c *conn) logPath() (path string, err error) {
	err = c.Query(store.Query{SQL: "PRAGMA database_list", Row: func(r store.Row) {
		if name := r.Text(2); r.Text(1) == "main" && name != "" {
			path = name + "-wal"
		}
	}})
	return path, err
}

// connectWriter makes the connection that writes, through the layer that writes the log of a
// commit at once. A store in memory has no log.
func (s *Store) connectWriter() (*conn, error) {
	flags := sqlite.OpenReadWrite | sqlite.OpenCreate
	if s.flags&sqlite.OpenURI != 0 { // in memory: see OpenMemory
		return s.connect(s.path, flags)
	}
	if err := logvfs.Register(); err != nil {
		return nil, err
	}
	return s.connect(logvfs.URI(s.path), flags|sqlite.OpenURI)
}

func (s *Store) connect(path string, flags sqlite.OpenFlags) (*conn, error) {
	raw, err := sqlite.OpenConn(path, flags|s.flags)
	if err != nil {
		return nil, err
	}
	raw.SetBusyTimeout(10 * time.Second)
	c := &conn{raw: raw, stmts: map[string]*statement{}, recent: &s.recent, counting: &s.counting}
	if err := c.setLists(s.tail); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// mapFile lets a reader see the file's pages without copying them. That gains much,
// since every commit of the writer empties the readers' caches. The writer itself
// uses ordinary reads and writes. The size is the most that SQLite maps, just below 2
// GB; the rest is read.
func (c *conn) mapFile() error {
	return sqlitex.ExecuteTransient(c.raw, "PRAGMA mmap_size = 2147418112", nil)
}

// configure sets up a connection whose page cache may take so many bytes.
func (c *conn) configure(opts Options, pages int) error {
	synchronous := opts.Synchronous
	if synchronous == "FULL" {
		synchronous = "NORMAL" // for copying the log into the file; the syncer does the rest
	}
	for _, pragma := range []string{
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = " + synchronous,
		"PRAGMA checkpoint_fullfsync = ON", // on macOS as strong as File.Sync; nothing elsewhere
		"PRAGMA foreign_keys = OFF",
		"PRAGMA temp_store = MEMORY",
		fmt.Sprintf("PRAGMA cache_size = -%d", pages>>10),
		// A page that is written several times before the log is copied into the file
		// is copied once. 4000 pages are 16 MB, which are read quickly after a crash.
		"PRAGMA wal_autocheckpoint = 4000",
	} {
		if err := sqlitex.ExecuteTransient(c.raw, pragma, nil); err != nil {
			return err
		}
	}
	return nil
}

// Update hands fn to the writer and waits until it is on stable storage, or only until it is
// committed if it skips that.
func (s *Store) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return describe(s.writer.do(fn))
}

func (s *Store) View(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *conn
	select {
	case <-ctx.Done():
		return ctx.Err()
	case c = <-s.readers:
	}
	if c == nil {
		return errClosed
	}
	err := s.view(c, fn)
	if failed := s.writer.syncer.await(ctx); failed != nil {
		return failed
	}
	return describe(err)
}

// view runs fn and gives the connection back.
func (s *Store) view(c *conn, fn func(*store.Tx) error) error {
	defer func() { s.readers <- c }()
	c.err = nil
	c.since.Store(s.tail.commits.Load() + 1) // before its snapshot is taken
	defer c.since.Store(0)
	c.exec("BEGIN")
	defer c.rollback()
	tx := store.NewTx(c, s.clock)
	err := store.Call(fn, tx)
	if tx.Wrote() {
		return store.ErrViewWrites
	}
	if c.err != nil {
		err = c.err // even if the closure ignored it
	}
	return err
}

func (s *Store) AwaitSync(ctx context.Context) error { return s.writer.syncer.await(ctx) }

func (s *Store) Recent() *store.Recent { return &s.recent }

func (s *Store) Bus() *wake.Bus { return &s.bus }

// Shared is false: the file belongs to one hub.
func (s *Store) Shared() bool { return false }

func (s *Store) Behind() time.Duration { return s.clock.Behind() }

func (s *Store) Describe() string { return "sqlite " + s.path }

// Close waits for the updates handed in and the running views, then closes the file.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		s.writer.stop()
		s.closeReaders(cap(s.readers))
		err = s.closeFiles()
	})
	return err
}

func (s *Store) closeFiles() (err error) {
	for _, f := range []*os.File{s.log, s.locked} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// closeReaders waits for the running views. Later ones find the channel closed.
func (s *Store) closeReaders(n int) {
	for range n {
		(<-s.readers).close()
	}
	close(s.readers)
}

var errClosed = parley.Errorf(parley.Unavailable, "The hub is stopping.")

func openError(path string, err error) error {
	var e *parley.Error
	if errors.As(err, &e) {
		return e
	}
	e = parley.Errorf(parley.Internal, "The database %s cannot be opened: %s.", path, reason(err)).WithCause(err)
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultPerm:
		return e.WithHint("Check that the folder exists and that you may write to it.")
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return e.WithHint("The file is damaged or is not a parley database; restore it from a backup, or choose another data folder.")
	case sqlite.ResultFull:
		return e.WithHint("The disk is full; free some space and start again.")
	}
	if errors.Is(err, os.ErrPermission) {
		return e.WithHint("Check that the folder exists and that you may write to it.")
	}
	return e
}

// describe turns the engine's failures into texts that say what to do.
func describe(err error) error {
	if err == nil {
		return nil
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		return trouble(err, "The disk is full; nothing was stored.").WithHint("Free some space and try again.")
	case sqlite.ResultIOErr:
		return trouble(err, "The database could not be written (%s); nothing was stored.", reason(err)).
			WithHint("Check the disk and its free space.")
	case sqlite.ResultReadOnly:
		return trouble(err, "The database is read-only; nothing was stored.").
			WithHint("Check the permissions of the data folder.")
	case sqlite.ResultBusy:
		return trouble(err, "Another program has locked the database; nothing was stored.").
			WithHint("Let that program end, and try again.")
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return parley.Errorf(parley.Internal, "The database is damaged.").WithHint("Restore it from a backup.").WithCause(err)
	}
	return err
}

// trouble makes an error for a failure that is not the caller's: turns wait instead of
// failing.
func trouble(err error, format string, args ...any) *parley.Error {
	return parley.Errorf(parley.Internal, format, args...).WithCause(&store.Outage{Err: err})
}

func reason(err error) string {
	if code := sqlite.ErrCode(err); code != sqlite.ResultOK && code != sqlite.ResultError {
		return code.String()
	}
	return fmt.Sprint(err)
}
