package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/reading"
	"parley/internal/store"
)

// Config is what a Bridge connects.
type Config struct {
	Store    store.Store
	Team     parley.Team
	Program  Program
	Contacts *contact.Service
	Reading  *reading.Service
	Log      *slog.Logger

	// Channels maps the names of group channels to conversations, which may be followed
	// by a slash and a thread.
	Channels map[string]string
	// Lead is whom a person talks to who names nobody; it may be empty.
	Lead string
	// Summary is when people get a summary of the day; nil for never.
	Summary *Daily

	// Timing is for tests; its zero fields have defaults.
	Timing Timing
}

// Timing says how long things take.
type Timing struct {
	// Lease is how long a hub that has died keeps the connection.
	Lease time.Duration
	// Limit bounds one call of the program.
	Limit time.Duration
	// Pauses are those between tries; the last one is repeated.
	Pauses []time.Duration
	// MaxAge is how old something may be to be tried again, and MaxBehind how old to
	// become a post at all: a bridge that was away for long does not post the past.
	MaxAge, MaxBehind time.Duration
	// Unpaced leaves out the pauses between posts that the program's limits ask for.
	Unpaced bool
}

func (t *Timing) fill() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Lease, 30*time.Second)
	set(&t.Limit, 20*time.Second)
	set(&t.MaxAge, 24*time.Hour)
	set(&t.MaxBehind, 7*24*time.Hour)
	if t.Pauses == nil {
		t.Pauses = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second, 2 * time.Minute}
	}
}

// Bridge brings a team into a chat program.
type Bridge struct {
	Config
	name    string // the program's
	hub     string // who holds the lease
	held    lease
	mapped  map[Place]string
	waiting chan struct{} // there is something to post

	mu      sync.Mutex
	problem string // as it was last stored
	failing string // the event that fails, and how often it did
	fails   int
}

// New makes a Bridge.
func New(cfg Config) *Bridge {
	cfg.Timing.fill()
	b := &Bridge{Config: cfg, name: cfg.Program.Name(), hub: rand.Text(), mapped: map[Place]string{}, waiting: make(chan struct{}, 1)}
	b.Log = cfg.Log.With("program", b.name, "team", cfg.Team.Name)
	for channel, place := range cfg.Channels {
		b.mapped[placeOf(place)] = parley.FoldName(parley.BareChannel(channel))
	}
	return b
}

func placeOf(s string) Place {
	conversation, thread, _ := strings.Cut(s, "/")
	return Place{Conversation: conversation, Thread: thread}
}

// Run works until the context is done.
func (b *Bridge) Run(ctx context.Context) {
	for ctx.Err() == nil {
		held, err := b.hold(ctx)
		if err != nil && ctx.Err() == nil {
			b.Log.Warn("the bridge cannot begin; it is tried again", "error", err)
		}
		if !held || err != nil {
			pause(ctx, b.Timing.Lease/3, nil)
			continue
		}
		b.work(ctx)
	}
	b.letGo(ctx)
}

// work does everything for as long as the lease is held. A part that finds it lost ends, and
// all others with it: the lease may be taken again, and then everything begins anew.
func (b *Bridge) work(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var ended sync.WaitGroup
	for _, part := range []func(context.Context){b.follow, b.send, b.receive, b.summarise} {
		ended.Go(func() { defer stop(); part(ctx) })
	}
	for b.Store.Shared() && ctx.Err() == nil {
		pause(ctx, b.Timing.Lease/3, nil)
		if held, err := b.hold(ctx); err != nil || !held {
			stop() // whatever is stored from now on is refused
		}
	}
	<-ctx.Done()
	stop()
	ended.Wait()
}

// hold takes or renews the lease. On a database that no other hub uses, what another has
// left is taken at once, and is renewed by nothing.
func (b *Bridge) hold(ctx context.Context) (held bool, err error) {
	began := time.Now()
	err = b.Store.Update(ctx, func(tx *store.Tx) error {
		row, err := tx.LockBridge(b.Team.ID, b.name)
		if errors.Is(err, store.ErrNotFound) {
			if err = b.begin(tx); err == nil {
				row, err = tx.LockBridge(b.Team.ID, b.name)
			}
		}
		if err != nil {
			return err
		}
		if held = row.Holder == b.hub || !b.Store.Shared() || row.LeaseUntil <= tx.Now; held {
			row.Holder, row.LeaseUntil = b.hub, tx.Now.Add(b.Timing.Lease)
			tx.UpdateBridge(row)
		}
		return nil
	})
	if err == nil && held && b.Store.Shared() {
		b.held.set(began.Add(b.Timing.Lease))
	}
	return held, err
}

// begin stores the end of the record as the place where a new bridge begins.
func (b *Bridge) begin(tx *store.Tx) error {
	cursor, err := tx.LatestEvent()
	if err == nil {
		tx.BeginBridge(b.Team.ID, b.name, cursor)
	}
	return err
}

// letGo gives the lease back, so that another hub need not wait for its end.
func (b *Bridge) letGo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	err := b.change(ctx, func(_ *store.Tx, row *store.Bridge) error { row.Holder, row.LeaseUntil = "", 0; return nil })
	if err != nil && !errors.Is(err, errLost) {
		b.Log.Warn("the bridge could not be let go", "error", err)
	}
}

// errLost says that another hub has the connection.
var errLost = errors.New("another hub has the connection of the bridge")

// locked makes sure, within a transaction, that the lease is held.
func (b *Bridge) locked(tx *store.Tx) (store.Bridge, error) {
	row, err := tx.LockBridge(b.Team.ID, b.name)
	if err == nil && (row.Holder != b.hub || b.Store.Shared() && row.LeaseUntil <= tx.Now) {
		err = errLost
	}
	if errors.Is(err, store.ErrNotFound) {
		err = errLost
	}
	return row, err
}

// change stores something under the lease.
func (b *Bridge) change(ctx context.Context, do func(*store.Tx, *store.Bridge) error) error {
	return b.Store.Update(ctx, func(tx *store.Tx) error {
		row, err := b.locked(tx)
		if err != nil {
			return err
		}
		before := row
		if err := do(tx, &row); err != nil {
			return err
		}
		if row != before {
			tx.UpdateBridge(row)
		}
		return nil
	})
}

// receive holds the program's connection.
func (b *Bridge) receive(ctx context.Context) {
	for tries := 0; ctx.Err() == nil; tries++ {
		began := time.Now()
		err := b.Program.Receive(ctx, inbox{b})
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > time.Minute {
			tries = 0
		}
		b.say(ctx, err)
		wait := b.Timing.Pauses[min(tries, len(b.Timing.Pauses)-1)]
		if f := (*Failure)(nil); errors.As(err, &f) {
			wait = max(wait, f.After)
		}
		pause(ctx, wait, nil)
	}
}

// say stores why the connection does not work, or that it does.
func (b *Bridge) say(ctx context.Context, err error) {
	problem := ""
	if err != nil {
		problem = parley.Clip(err.Error(), 300)
	}
	b.mu.Lock()
	same := b.problem == problem
	b.problem = problem
	b.mu.Unlock()
	if same || errors.Is(err, errLost) {
		return
	}
	if err != nil {
		b.Log.Warn("the chat program cannot be used; it is tried again", "problem", problem)
	}
	failed := b.change(ctx, func(_ *store.Tx, row *store.Bridge) error { row.Problem = problem; return nil })
	if failed != nil && ctx.Err() == nil {
		b.Log.Warn("the state of a bridge could not be stored", "error", failed)
	}
}

// wakeSender says that there is something to post.
func (b *Bridge) wakeSender() {
	select {
	case b.waiting <- struct{}{}:
	default: // it is about to look
	}
}

func (b *Bridge) as(person parley.AgentID) access.Caller {
	return access.Caller{Team: b.Team.ID, Agent: person, Chat: true}
}

// State is how a bridge is doing.
type State struct {
	Program  string
	Channels []string
	Held     bool // a hub has the connection
	Problem  string
	Pending  int
	Since    parley.Micros // of the oldest
	Repeats  int
	GivenUp  int
}

// State says how the bridge is doing, whichever hub runs it.
func (b *Bridge) State(ctx context.Context) (s State, err error) {
	s = State{Program: b.name, Channels: slices.Sorted(maps.Values(b.mapped))}
	err = b.Store.View(ctx, func(tx *store.Tx) error {
		row, err := tx.Bridge(b.Team.ID, b.name)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s.Held = row.Holder != "" && (!b.Store.Shared() || row.LeaseUntil > tx.Now)
		s.Problem, s.Repeats, s.GivenUp = row.Problem, row.Repeats, row.GivenUp
		s.Pending, s.Since, err = tx.ChatCounts(b.Team.ID, b.name)
		return err
	})
	return s, err
}

// pause waits for a time, or without end if it is negative. It reports whether early came
// first.
func pause(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	var over <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-over:
	case <-early:
		return true
	}
	return false
}

// origin is the key under which a chat message is said in the hub. It names the chat
// message, so that whoever reads the key knows where it was said.
func (b *Bridge) origin(at Place, posted string) string {
	return fmt.Sprintf(parley.ChatKeyPrefix+"%s/%s/%s/%s", b.name, escape(at.Conversation), escape(at.Thread), escape(posted))
}

// saidAt reads a key: where in this program a message was said, and as which chat
// message.
func (b *Bridge) saidAt(m parley.Message) (at Place, posted string, ok bool) {
	parts := strings.Split(m.Key, "/")
	if m.Origin != 0 || len(parts) < 5 || parts[0] != "chat" || parts[1] != b.name {
		return Place{}, "", false
	}
	return Place{Conversation: unescape(parts[2]), Thread: unescape(parts[3])}, unescape(parts[4]), true
}

var (
	escaper   = strings.NewReplacer("%", "%25", "/", "%2F")
	unescaper = strings.NewReplacer("%2F", "/", "%25", "%")
)

func escape(s string) string   { return escaper.Replace(s) }
func unescape(s string) string { return unescaper.Replace(s) }
