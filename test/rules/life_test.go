package rules

import (
	"context"
	"errors"
	"sync"

	"parley"
	"parley/internal/app"
	"parley/internal/store"
	"parley/internal/wake"
)

// life is one run of a hub, from its start to its stop or its death. It stands
// between the hub and the store: from the moment of death nothing that the hub
// still does reaches the store, as with a process that was killed.
type life struct {
	store.Store
	bus wake.Bus

	hub    *app.Hub
	team   parley.TeamID
	ctx    context.Context // of the requests at its doors
	leave  context.CancelFunc
	stop   context.CancelFunc
	ran    chan error
	ended  chan struct{} // closed at death
	unhear func()

	mu   sync.Mutex
	dead bool
	deaf bool
	left int  // commits until death, if armed
	told bool // whether the last of them is still acknowledged
	arms bool

	patient bool // its stop gives turns all the time they want
}

var _ store.Store = (*life)(nil)

var errDead = errors.New("the process was killed")

// Update commits unless the hub is dead. The last commit of a life may be
// stored and yet never acknowledged.
func (l *life) Update(ctx context.Context, fn func(*store.Tx) error) error {
	lastWords, err := l.spend()
	if err != nil {
		return err
	}
	err = l.Store.Update(ctx, fn)
	if lastWords {
		l.die()
		if !l.told {
			return errDead
		}
	}
	return err
}

// spend counts a commit.
func (l *life) spend() (last bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.arms && l.left == 0 {
		l.dead = true
	}
	if l.dead {
		return false, errDead
	}
	if l.arms {
		l.left--
	}
	return l.arms && l.left == 0, nil
}

// View reads unless the hub is dead.
func (l *life) View(ctx context.Context, fn func(*store.Tx) error) error {
	if l.isDead() {
		return errDead
	}
	return l.Store.View(ctx, fn)
}

// Bus carries the store's signals, unless the hub is deaf.
func (l *life) Bus() *wake.Bus { return &l.bus }

// hear passes the store's signals on.
func (l *life) hear() {
	var stops []func()
	for _, s := range wake.Everything() {
		stops = append(stops, l.Store.Bus().Listen(s.Topic, func(id int64) {
			l.mu.Lock()
			hears := !l.deaf && !l.dead
			l.mu.Unlock()
			if hears {
				l.bus.Publish([]wake.Signal{{Topic: s.Topic, ID: id}})
			}
		}))
	}
	l.unhear = func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// arm lets the hub die after so many commits.
func (l *life) arm(commits int, told bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arms, l.left, l.told = true, commits, told
}

func (l *life) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
}

func (l *life) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}
