package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"parley"
	"parley/internal/store"
)

// Update runs fn in a transaction, again if it loses against another one.
func (s *Store) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.insist(ctx, func() error { return s.update(ctx, fn) })
}

// View runs fn on a snapshot.
func (s *Store) View(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.insist(ctx, func() error { return s.view(ctx, fn) })
}

func (s *Store) update(ctx context.Context, fn func(*store.Tx) error) error {
	c, release, err := s.acquire(ctx, beginUpdate)
	if err != nil {
		return err
	}
	defer release()
	tx := store.NewTx(c, s.clock.Now())
	if err := call(fn, tx, c); err != nil {
		c.rollback()
		return err
	}
	if !tx.Wrote() {
		c.rollback() // nothing to keep: this only lets go of the locks
	} else if err := c.commit(); err != nil && !unknownOutcome(err) {
		c.rollback()
		return err
	}
	if c.err == nil {
		tx.Committed()
	}
	// Where the outcome is unknown a hint does no harm, and nobody else would
	// give it.
	s.bus.Publish(tx.Signals())
	s.notifier.add(tx.Signals())
	return c.err
}

func (s *Store) view(ctx context.Context, fn func(*store.Tx) error) error {
	c, release, err := s.acquire(ctx, beginView)
	if err != nil {
		return err
	}
	defer release()
	tx := store.NewTx(c, s.clock.Now())
	err = call(fn, tx, c)
	c.rollback()
	if tx.Wrote() {
		return store.ErrViewWrites // whatever the server said to it
	}
	return err
}

// acquire takes a connection from the pool. The caller's context ends the
// waiting for one and never reaches the connection.
func (s *Store) acquire(ctx context.Context, begin string) (*conn, func(), error) {
	pooled, err := s.pool.Acquire(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case s.closed.Load():
		return nil, nil, errClosed
	default:
		return nil, nil, &fault{err: err, lost: true}
	}
	c := &conn{session: sessionOf(pooled.Conn().PgConn()), ids: &s.ids, recent: &s.recent, begin: begin}
	return c, pooled.Release, nil
}

var errClosed = parley.Errorf(parley.Unavailable, "The hub is stopping.")

// call runs the closure. A failure of the engine counts even if the closure
// overlooks it.
func call(fn func(*store.Tx) error, tx *store.Tx, c *conn) error {
	err := store.Call(fn, tx)
	if c.err != nil {
		return c.err
	}
	return err
}

const (
	maxReruns  = 20
	firstPause = time.Millisecond
	maxPause   = 200 * time.Millisecond
)

// insist runs once until it succeeds or fails in a way that another try would
// not mend.
func (s *Store) insist(ctx context.Context, once func() error) error {
	deadline := time.Now().Add(s.patience)
	unique, pause := 0, firstPause
	for tries := 1; ; tries++ {
		err := once()
		var f *fault
		if err == nil || !errors.As(err, &f) {
			return err
		}
		switch f.remedy() {
		case rerun:
			if tries >= maxReruns {
				return describe(f)
			}
		case rerunOnce:
			if unique++; unique > 1 {
				return describe(f)
			}
		case reconnect:
			if time.Now().After(deadline) {
				return describe(f)
			}
		case giveUp:
			return describe(f)
		}
		if !rest(ctx, pause) {
			return describe(f)
		}
		pause = min(2*pause, maxPause)
	}
}

// rest waits about as long as told, each time a little different, so that two
// who collided do not collide again. It reports false if the caller gave up.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Erase is Update: when the bytes of a row that is gone are written over is up
// to the server's vacuum, and its log has them until it is recycled.
func (s *Store) Erase(ctx context.Context, fn func(*store.Tx) error) error { return s.Update(ctx, fn) }
