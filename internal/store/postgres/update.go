package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"parley"
	"parley/internal/store"
)

// Update runs fn in a transaction, and again if it loses a conflict with another one.
// Among many it runs in one that they share, if it can.
func (s *Store) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer s.updates.Add(-1)
	if int(s.updates.Add(1)) > s.crowd && store.IsGathered(ctx) {
		if done, err := s.share(ctx, fn); done {
			return err
		}
	}
	return s.retry(ctx, func(t *times) error { return s.update(ctx, t, fn) })
}

func (s *Store) View(ctx context.Context, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.retry(ctx, func(t *times) error { return s.view(ctx, t, fn) })
}

func (s *Store) update(ctx context.Context, t *times, fn func(*store.Tx) error) error {
	c, release, err := s.acquire(ctx, beginUpdate, t)
	if err != nil {
		return err
	}
	defer release()
	tx := store.NewTx(c, s.clock)
	if err := call(fn, tx, c); err != nil {
		c.rollback()
		return err
	}
	if !tx.Wrote() {
		c.rollback() // nothing to store: this only releases the locks
	} else if err := c.commit(); err != nil && !unknownOutcome(err) {
		c.rollback()
		return err
	}
	if c.err == nil {
		tx.Committed()
	}
	// If the outcome is unknown, the hint does no harm, and nobody else would give
	// it.
	s.bus.Publish(tx.Signals())
	s.notifier.add(tx.Signals())
	return c.err
}

func (s *Store) view(ctx context.Context, t *times, fn func(*store.Tx) error) error {
	c, release, err := s.acquire(ctx, beginView, t)
	if err != nil {
		return err
	}
	defer release()
	tx := store.NewTx(c, s.clock)
	err = call(fn, tx, c)
	c.rollback()
	if tx.Wrote() {
		return store.ErrViewWrites // whatever the server said about it
	}
	return err
}

// acquire takes a connection from the pool. The caller's context limits only the wait
// for one; it never reaches the connection.
func (s *Store) acquire(ctx context.Context, begin string, t *times) (*conn, func(), error) {
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
	session := sessionOf(pooled.Conn().PgConn())
	session.counter, session.update = s.counting.Load(), begin == beginUpdate
	session.counter.began(session.update)
	c := &conn{session: session, ids: &s.ids, recent: &s.recent, begin: begin, times: t}
	return c, pooled.Release, nil
}

var errClosed = parley.Errorf(parley.Unavailable, "The hub is stopping.")

// call runs the closure. A failure of the engine counts even if the closure ignores
// it.
func call(fn func(*store.Tx) error, tx *store.Tx, c *conn) error {
	err := store.Call(fn, tx)
	if c.err != nil {
		return c.err
	}
	return err
}

const (
	// maxQueueing is how long a transaction waits for locks that others hold.
	maxQueueing = 30 * time.Second

	maxReruns  = 20
	firstPause = time.Millisecond
	maxPause   = 200 * time.Millisecond
)

// retry calls once until it succeeds or fails in a way that another attempt would not
// fix. Once it was too slow, or waited for a lock in vain, it gets more time.
func (s *Store) retry(ctx context.Context, once func(*times) error) error {
	begun := time.Now()
	unique, pause := 0, firstPause
	var more *times
	for tries := 1; ; tries++ {
		err := once(more)
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
		case requeue:
			if time.Since(begun) > s.queueing {
				return describe(f)
			}
			more = &s.address.later
		case reconnect:
			if time.Since(begun) > s.patience {
				return describe(f)
			}
			more = &s.address.later
		case giveUp:
			return describe(f)
		}
		if !backOff(ctx, pause) {
			return describe(f)
		}
		pause = min(2*pause, maxPause)
	}
}

// backOff waits roughly as long as told. The random part keeps two that collided from
// colliding again. It returns false if the caller gave up.
func backOff(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Erase is Update: only the server's vacuum decides when the bytes of removed rows
// are overwritten, and its log keeps them until it is recycled.
func (s *Store) Erase(ctx context.Context, fn func(*store.Tx) error) error { return s.Update(ctx, fn) }
