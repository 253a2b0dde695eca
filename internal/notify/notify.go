// Package notify tells people outside of parley what waits for them: approvals,
// questions and mail. It runs a command with the notice on its standard input, or posts
// it, signed, to an address.
//
// Each target follows the event record on its own and tells one thing at a time, in
// order. How far it has come is a row in the store. Of several hubs on one database, the
// one that holds the row's lease tells. A hub that dies after telling and before it has
// stored so leaves this to be told again, under the same id.
//
// A target that has nothing to tell writes nothing.
package notify

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// Kind is what people are told of.
type Kind string

const (
	Approvals Kind = "approvals"
	Questions Kind = "questions"
	Mail      Kind = "mail"
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{Approvals, Questions, Mail} }

// Target is a command, or an address, through which people are told.
type Target struct {
	// Command is a program and its arguments.
	Command []string
	// URL is the address. SecretEnv names the variable of the hub's environment with
	// the secret that signs. Private allows addresses of private networks.
	URL       string
	SecretEnv string
	Private   bool

	For    []Kind   // empty is all
	People []string // names; empty is everyone
}

// Name names the target for people, without what may be secret in it: an address or an
// argument may hold a key.
func (t Target) Name() string {
	if t.URL == "" {
		return "command " + filepath.Base(t.Command[0])
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return "webhook"
	}
	return "webhook " + u.Host
}

// key identifies the target in the store, also after its other settings have changed.
func (t Target) key() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{t.URL}, t.Command...), "\x00")))
	return hex.EncodeToString(sum[:12])
}

func (t Target) equal(o Target) bool {
	return slices.Equal(t.Command, o.Command) && t.URL == o.URL && t.SecretEnv == o.SecretEnv && t.Private == o.Private &&
		slices.Equal(t.For, o.For) && slices.Equal(t.People, o.People)
}

func (t Target) wants(k Kind) bool { return len(t.For) == 0 || slices.Contains(t.For, k) }

func (t Target) tells(person string) bool {
	return len(t.People) == 0 || slices.ContainsFunc(t.People, func(name string) bool { return parley.FoldName(name) == parley.FoldName(person) })
}

// Config configures a Teller.
type Config struct {
	Store store.Store
	Team  parley.Team
	Dir   string // the team's folder, where commands run
	Log   *slog.Logger

	// Timing is for tests; its zero fields have defaults.
	Timing Timing
}

// Timing says how long things take.
type Timing struct {
	// Settle is how long something waits before it is told. What was seen or decided
	// meanwhile is not told.
	Settle time.Duration
	// Pauses are those between tries. The last one is repeated as long as the target
	// cannot be reached. A notice that the target refuses is given up after them.
	Pauses []time.Duration
	// MaxAge is how old something may be to be told, and to be tried again.
	MaxAge time.Duration
	// Limit bounds one try, Lease how long the target is reserved for it.
	Limit, Lease time.Duration
}

func (t *Timing) fill() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Settle, time.Second)
	set(&t.MaxAge, 24*time.Hour)
	set(&t.Limit, 20*time.Second)
	set(&t.Lease, time.Minute)
	if t.Pauses == nil {
		t.Pauses = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second, 2 * time.Minute, 10 * time.Minute}
	}
}

// Teller tells the people of one team. Its methods may be called from any goroutine.
type Teller struct {
	cfg     Config
	changed chan struct{}

	mu      sync.Mutex
	targets map[string]Target
	order   []string
}

// New makes a Teller without targets.
func New(cfg Config) *Teller {
	cfg.Timing.fill()
	return &Teller{cfg: cfg, changed: make(chan struct{}, 1)}
}

// Set replaces the targets. A new one begins with what happens from now on.
func (t *Teller) Set(ctx context.Context, targets []Target) error {
	t.replace(targets)
	select {
	case t.changed <- struct{}{}:
	default: // it is about to look
	}
	return t.begin(ctx)
}

func (t *Teller) replace(targets []Target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.targets, t.order = map[string]Target{}, nil
	for _, target := range targets {
		key := target.key()
		for n := 2; t.targets[key].key() == target.key(); n++ { // the same program may tell different people
			key = fmt.Sprintf("%s-%d", target.key(), n)
		}
		t.targets[key] = target
		t.order = append(t.order, key)
	}
}

// begin stores the end of the record as the place where new targets begin.
func (t *Teller) begin(ctx context.Context) error {
	t.mu.Lock()
	keys := t.order
	t.mu.Unlock()
	var fresh []string
	err := t.cfg.Store.View(ctx, func(tx *store.Tx) error {
		fresh = nil
		for _, key := range keys {
			_, err := tx.Telling(t.cfg.Team.ID, key)
			switch {
			case errors.Is(err, store.ErrNotFound):
				fresh = append(fresh, key)
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	return t.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.LatestEvent()
		for _, key := range fresh {
			tx.BeginTelling(t.cfg.Team.ID, key, now)
		}
		return err
	})
}

// Run tells until the context is done. Without targets it does nothing.
func (t *Teller) Run(ctx context.Context) {
	running := map[string]*follower{}
	defer func() {
		for _, f := range running {
			f.stop()
		}
	}()
	for {
		t.mu.Lock()
		targets := maps.Clone(t.targets)
		t.mu.Unlock()
		for key, f := range running {
			if target, ok := targets[key]; !ok || !target.equal(f.target) {
				f.stop()
				delete(running, key)
			}
		}
		for key, target := range targets {
			if running[key] == nil {
				running[key] = t.follow(ctx, key, target)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-t.changed:
		}
	}
}

// follow starts to follow the record for a target.
func (t *Teller) follow(ctx context.Context, key string, target Target) *follower {
	ctx, cancel := context.WithCancel(ctx)
	f := &follower{Config: t.cfg, begin: t.begin, key: key, target: target, hub: rand.Text(), log: t.cfg.Log.With("target", target.Name()),
		sender: newSender(t.cfg, target)}
	done := make(chan struct{})
	f.stop = func() { cancel(); <-done }
	go func() {
		defer close(done)
		f.run(ctx)
	}()
	return f
}

// State is how a target is doing.
type State struct {
	Target string
	// Problem is why the last try failed; empty if it did not. It is tried again at
	// Next, which is zero if nothing waits.
	Problem string
	Next    time.Time
	// GivenUp counts what was given up, the last one at GivenUpAt.
	GivenUp   int
	GivenUpAt time.Time
}

// States says how the targets are doing, in the order of the files.
func (t *Teller) States(ctx context.Context) (list []State, err error) {
	t.mu.Lock()
	targets, order := t.targets, t.order
	t.mu.Unlock()
	if len(order) == 0 {
		return nil, nil
	}
	err = t.cfg.Store.View(ctx, func(tx *store.Tx) error {
		list = nil
		for _, key := range order {
			row, err := tx.Telling(t.cfg.Team.ID, key)
			if err != nil && err != store.ErrNotFound {
				return err
			}
			list = append(list, stateOf(targets[key], row))
		}
		return nil
	})
	return list, err
}

func stateOf(target Target, row store.Telling) State {
	s := State{Target: target.Name(), Problem: row.Problem, GivenUp: row.GivenUp}
	if row.Problem != "" && row.Due != 0 {
		s.Next = row.Due.Time()
	}
	if row.GivenUpAt != 0 {
		s.GivenUpAt = row.GivenUpAt.Time()
	}
	return s
}
