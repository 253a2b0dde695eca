package rules

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"parley"
	"parley/internal/app"
	"parley/internal/store"
	"parley/internal/wake"
)

// life is one run of a hub, from its start to its stop or its death. It stands
// between the hub and the store: from the moment of death nothing that the hub still
// does reaches the store, as with a killed process.
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

	freezes bool // it falls asleep when its commits are used up, instead of dying
	asleep  bool
	woken   chan struct{} // closed when it comes back
	errand  string        // what becomes of the calls of that name
	awoken  *atomic.Int64 // counts what went on after it woke
}

var _ store.Store = (*life)(nil)

var errDead = errors.New("the process was killed")

// Update commits unless the hub is dead. The last commit of a life may be
// stored and yet never acknowledged.
func (l *life) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if err := l.enter(); err != nil {
		return err
	}
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
	if l.arms && l.left == 0 && !l.freezes {
		l.dead = true
	}
	if l.dead {
		return false, errDead
	}
	if l.arms && l.left > 0 {
		l.left--
	}
	return l.arms && l.left == 0 && !l.freezes, nil
}

// freeze makes the hub fall asleep after so many commits, like a machine whose lid is
// closed: whatever it was doing hangs, and continues when it wakes.
func (l *life) freeze(commits int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arms, l.left, l.freezes, l.woken = true, commits, true, make(chan struct{})
}

// enter waits while the hub is asleep. When the hub wakes, only its turns continue:
// the rest of it knows by then that its time is over.
func (l *life) enter() error {
	l.mu.Lock()
	l.asleep = l.asleep || l.freezes && l.left == 0
	asleep := l.asleep
	l.mu.Unlock()
	if !asleep {
		return nil
	}
	select {
	case <-l.woken:
	case <-l.ended:
		return errDead
	}
	stack := string(debug.Stack())
	if !strings.Contains(stack, "internal/turn.(*run)") && !strings.Contains(stack, "work.(*Scheduler).giveBack") {
		return errDead
	}
	l.awoken.Add(1)
	return nil
}

// fallAsleep has the hub fall asleep now.
func (l *life) fallAsleep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.asleep = 0, true
}

func (l *life) isAsleep() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asleep
}

// wake lets everything that hangs continue.
func (l *life) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asleep, l.freezes, l.arms = false, false, false
	close(l.woken)
}

// View reads unless the hub is dead.
func (l *life) View(ctx context.Context, fn func(*store.Tx) error) error {
	if err := l.enter(); err != nil {
		return err
	}
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
	return l.dead || l.asleep
}
