package turn_test

import (
	"context"
	"errors"
	"sync"

	"parley/internal/store"
)

var errDead = errors.New("the hub is dead")

// mortal is the store of a hub that dies at a commit, right before or right after
// it.
type mortal struct {
	store.Store
	left   int // commits to live
	before bool
	die    context.CancelFunc

	mu     sync.Mutex
	dead   bool
	looks  int // how often something was read by itself
	waited int // commits after which the turn waited for the disk
}

func (m *mortal) Update(ctx context.Context, fn func(*store.Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	m.left--
	if m.left != 0 {
		skips := false
		err := m.Store.Update(ctx, func(tx *store.Tx) error {
			err := fn(tx)
			skips = tx.SkipsSync()
			return err
		})
		if !skips {
			m.waited++
		}
		return err
	}
	m.dead = true
	if !m.before {
		if err := m.Store.Update(ctx, fn); err != nil {
			return err
		}
	}
	m.die()
	return errDead
}

func (m *mortal) View(ctx context.Context, fn func(*store.Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	m.looks++
	return m.Store.View(ctx, fn)
}
