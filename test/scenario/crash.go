package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/store"
)

// Mortal is the store of a process that dies. From then on nothing is stored and
// nobody is answered: callers hang, as after a kill, until the test buries it. If it
// was only suspended, it continues when it is resumed.
type Mortal struct {
	store.Store
	buried  chan struct{}
	resumed chan struct{}

	mu     sync.Mutex
	left   int  // commits to live; negative for ever
	before bool // the last of them is not made
	dead   bool
}

var errBuried = errors.New("the process is dead")

// NewMortal makes a store that lives until Kill or until its commits are
// counted by Doom.
func NewMortal(t testing.TB, st store.Store) *Mortal {
	m := &Mortal{Store: st, left: -1, buried: make(chan struct{}), resumed: make(chan struct{})}
	t.Cleanup(m.Bury)
	return m
}

// Doom lets the process die at the nth commit from now: right before it, or
// right after it and before anybody hears of it.
func (m *Mortal) Doom(n int, before bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left, m.before = n, before
}

// atEveryCommit plays a story in which the process dies before, and after, its first
// commit, its second, and so on until it survives them all.
func atEveryCommit(t *testing.T, die func(t *testing.T, n int, before bool) (died bool)) {
	t.Helper()
	for _, before := range []bool{true, false} {
		for n, died := 1, true; died; n++ {
			t.Run(fmt.Sprintf("%d %v", n, before), func(t *testing.T) { died = die(t, n, before) })
		}
	}
}

// Spare takes the doom back.
func (m *Mortal) Spare() { m.Doom(-1, false) }

// Kill ends the process now.
func (m *Mortal) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
}

// Resume lets a process go on that was thought dead.
func (m *Mortal) Resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = false
	close(m.resumed)
}

// Dead reports whether it has died.
func (m *Mortal) Dead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// Bury lets everyone go who hangs, so that the test can end.
func (m *Mortal) Bury() {
	m.Kill()
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.buried:
	default:
		close(m.buried)
	}
}

// Update stores, and may be the last thing that the process does.
func (m *Mortal) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if m.dies(true, nil) && !m.hang() {
		return errBuried
	}
	err := m.Store.Update(ctx, fn)
	if m.dies(false, err) && !m.hang() {
		return errBuried
	}
	return err
}

// dies counts a commit, before or after it was made.
func (m *Mortal) dies(before bool, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before == m.before && err == nil && m.left > 0 {
		if m.left--; m.left == 0 {
			m.dead = true
		}
	}
	return m.dead
}

// View reads while there is life.
func (m *Mortal) View(ctx context.Context, fn func(*store.Tx) error) error {
	if m.Dead() && !m.hang() {
		return errBuried
	}
	return m.Store.View(ctx, fn)
}

// hang waits, and reports whether the process continues.
func (m *Mortal) hang() bool {
	select {
	case <-m.buried:
		return false
	case <-m.resumed:
		return true
	}
}

// Remains copies the files of a database as a crash leaves them, without
// closing anything, and returns the copy.
func Remains(t testing.TB, file string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(file))
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(file + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
