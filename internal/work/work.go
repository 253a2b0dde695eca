// Package work brings tasks and workers together: it claims what is due by priority,
// runs it under a lease, takes over what a dead hub left behind, and stops in order.
//
// A lease is a task's worker and token. The worker's row says until when all its
// leases are valid; one heartbeat renews them all. Each claim raises the token, and
// every write of a turn compares it, so a worker that lost its lease without knowing
// changes nothing. A hub that has a database to itself needs no heartbeats: when it
// starts, every other worker is dead.
//
// The Scheduler's mutex guards all its state. Turns run on their own goroutines. The
// loop in Run claims; signals, released slots and the clock wake it.
package work

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// Runner runs the turns of a claimed task until the task ends or waits. A nil error
// means that the outcome is stored; with any other error the task is given back.
// handover is nil unless the task was just stored. Package turn implements it.
type Runner interface {
	Run(ctx context.Context, lease parley.Lease, handover *parley.Handover, slot parley.Slot) error
}

// Upkeep does the scheduled work that needs the rules of contacts: it ends what is
// given up or overdue, starts what waited for other tasks, and sends what a dead hub
// left unsent. Package contact implements it.
type Upkeep interface {
	Fail(ctx context.Context, id parley.TaskID, reason string) error
	// Expire ends an approval that nobody decided in time.
	Expire(ctx context.Context, id parley.ApprovalID) error
	// TendQuestion asks further agents a question that nobody has answered yet, or ends
	// it when its time is over.
	TendQuestion(ctx context.Context, id parley.QuestionID) error
	// TellReminder tells somebody of a task that is still open.
	TellReminder(ctx context.Context, r parley.Reminder) error
	// Settle starts or fails a task whose dependencies have ended.
	Settle(ctx context.Context, id parley.TaskID) error
	// AskManagers asks managers for decisions that a dead hub may not have asked for.
	AskManagers(ctx context.Context) error
}

// Agents knows what the team's files say. Package directory implements it.
type Agents interface {
	// Native reports whether the hub runs the agent's turns.
	Native(id parley.AgentID) bool
	Limits(id parley.AgentID) parley.Limits
	Team(id parley.AgentID) parley.TeamID
}

// Config is what a Scheduler needs.
type Config struct {
	Store  store.Store
	Agents Agents
	Log    *slog.Logger
	Name   string // of this hub, as shown to people
	// Workers is how many turns run at once on this hub, not counting those that
	// wait.
	Workers int
	// LeaseTime is how long a lease lasts without a heartbeat.
	LeaseTime time.Duration
	// Poll is how often to look for work without a signal, and to renew the leases;
	// at most a third of the lease time.
	Poll time.Duration
	// Grace is how long turns may continue after the stop begins.
	Grace time.Duration
}

func (c *Config) fill() {
	if c.Workers <= 0 {
		c.Workers = 256
	}
	if c.LeaseTime <= 0 {
		c.LeaseTime = 15 * time.Second
	}
	if c.Poll <= 0 {
		c.Poll = min(5*time.Second, c.LeaseTime/3)
	}
	if c.Grace <= 0 {
		c.Grace = 10 * time.Second
	}
}

// Scheduler is one hub's workers.
type Scheduler struct {
	cfg    Config
	runner Runner
	upkeep Upkeep
	worker int64
	nudge  chan struct{} // there may be work; holds at most one
	resync chan struct{} // signals were lost; holds at most one
	pauses chan struct{} // a team was paused or resumed; holds at most one
	clock  chan struct{} // something is due earlier than known; holds at most one
	quit   chan struct{} // closed when the stop begins

	unlisten func()

	mu           sync.Mutex
	freeSlots    int
	waiters      []chan struct{}
	ready        map[parley.AgentID]bool                   // may have something to claim
	lastServed   parley.AgentID                            // the last agent that got slots
	running      map[parley.AgentID]int                    // turns that hold a slot
	cancels      map[parley.Lease]context.CancelCauseFunc  // of the turns that run here
	reserved     map[parley.TaskID]context.CancelCauseFunc // of turns whose tasks are being stored
	aliveUntil   parley.Micros
	stopping     bool                   // nothing new is claimed
	claimsPaused bool                   // for a moment, since the last claim failed
	paused       map[parley.TeamID]bool // teams, as last read
	interrupted  bool                   // the grace is over
	turns        sync.WaitGroup

	beating chan struct{} // full while a heartbeat is under way
	beatAt  time.Time     // of the last heartbeat, or of the attempt; who fills beating has it

	strays map[parley.Lease]bool // our leases without a turn at the last tick; used by the loop only

	held atomic.Int32 // how many callers of HoldClock have not released it
}

// New makes a Scheduler. Start must come before Run.
func New(cfg Config) *Scheduler {
	cfg.fill()
	return &Scheduler{
		cfg: cfg, freeSlots: cfg.Workers, nudge: make(chan struct{}, 1), resync: make(chan struct{}, 1), pauses: make(chan struct{}, 1), clock: make(chan struct{}, 1), quit: make(chan struct{}),
		beating:  make(chan struct{}, 1),
		ready:    map[parley.AgentID]bool{},
		running:  map[parley.AgentID]int{},
		cancels:  map[parley.Lease]context.CancelCauseFunc{},
		reserved: map[parley.TaskID]context.CancelCauseFunc{},
	}
}

// Start registers the hub and takes over what a dead one left. No contact may be made
// before it returns. It also takes who runs turns and who ends tasks. New could not:
// both make contacts, which in turn need the Scheduler.
func (s *Scheduler) Start(ctx context.Context, r Runner, u Upkeep) error {
	s.runner, s.upkeep = r, u
	s.beatAt = time.Now()
	err := s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		s.aliveUntil = tx.Now.Add(s.cfg.LeaseTime)
		s.worker = tx.InsertWorker(s.cfg.Name, s.aliveUntil)
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.readPauses(ctx); err != nil {
		return err
	}
	s.listen() // before the first contact hands over a turn, which may be cancelled at once
	return s.rescue(ctx)
}

func (s *Scheduler) listen() {
	bus := s.cfg.Store.Bus()
	ends := []func(){
		bus.Listen(wake.Work, s.onWork),
		bus.Listen(wake.Cancelled, s.onCancelled),
		bus.Listen(wake.Team, func(int64) { poke(s.pauses) }),
		bus.Listen(wake.Clock, func(int64) { poke(s.clock) }),
	}
	s.unlisten = func() {
		for _, end := range ends {
			end()
		}
	}
}

// Run claims and runs until the context is done, then stops: it claims nothing more,
// gives turns their grace, gives back what is unfinished, and removes the worker.
func (s *Scheduler) Run(ctx context.Context) error {
	defer s.unlisten()
	s.findWork(ctx)
	ticker := time.NewTicker(s.cfg.Poll)
	defer ticker.Stop()
	alarm := time.NewTimer(0)
	defer alarm.Stop()
	alarmAt := time.Now()
	for {
		c := s.await(ctx, ticker.C, alarm.C)
		if c.stop {
			return s.stop()
		}
		switch {
		case c.tick:
			s.tick(ctx)
		case c.look:
			s.findWork(ctx)
		}
		if c.alarm {
			wait := s.checkClock(ctx)
			alarmAt = time.Now().Add(wait)
			alarm.Reset(wait)
		}
		if soon := time.Now().Add(clockPause); c.clock && soon.Before(alarmAt) {
			alarmAt = soon // something may be due before the alarm; many signals may say so at once
			alarm.Reset(clockPause)
		}
		s.claim(ctx)
	}
}

// reasons say why the loop was woken.
type reasons struct{ stop, look, tick, clock, alarm bool }

// await waits until there is something to do and takes everything there is. What
// arrives together is handled in one round, and always in the same order.
func (s *Scheduler) await(ctx context.Context, ticker, alarm <-chan time.Time) (c reasons) {
	select {
	case <-ctx.Done():
		c.stop = true
	case <-s.nudge:
	case <-s.pauses:
		c.look = true
	case <-s.resync:
		c.tick = true
	case <-ticker:
		c.tick = true
	case <-s.clock:
		c.clock = true
	case <-alarm:
		c.alarm = true
	}
	c.stop = c.stop || ctx.Err() != nil
	c.look = c.look || received(s.pauses)
	c.tick = c.tick || received(s.resync) || received(ticker)
	c.clock = c.clock || received(s.clock)
	c.alarm = c.alarm || received(alarm)
	received(s.nudge)
	return c
}

func received[T any](ch <-chan T) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// clockPause is the shortest time between two looks at the clock.
const clockPause = 50 * time.Millisecond

// tick does what needs no signal: it renews leases, looks for dead hubs, and makes up
// for lost signals.
func (s *Scheduler) tick(ctx context.Context) {
	s.findWork(ctx)
	if err := s.reclaim(ctx); err != nil {
		s.cfg.Log.Warn("looking at the leases failed", "error", err)
	}
	if s.cfg.Store.Shared() {
		s.heartbeat(ctx)
	}
	if s.held.Load() > 0 {
		return
	}
	if err := s.unblock(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("looking for tasks that can begin failed", "error", err)
	}
	if err := s.TakeBack(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("looking for clients that are gone failed", "error", err)
	}
	if !s.cfg.Store.Shared() {
		return
	}
	if err := s.rescue(ctx); err != nil {
		s.cfg.Log.Warn("looking for dead hubs failed", "error", err)
	}
}

// findWork marks every agent that has something to claim.
func (s *Scheduler) findWork(ctx context.Context) {
	if err := s.readPauses(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("looking for paused teams failed", "error", err)
	}
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) error {
		ids, err := tx.AgentsWithWork()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, id := range ids {
			if s.cfg.Agents.Native(id) && !s.paused[s.cfg.Agents.Team(id)] { // others belong to another hub
				s.ready[id] = true
			}
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("looking for work failed", "error", err)
	}
	s.wake()
}

func (s *Scheduler) onWork(agent int64) {
	id := parley.AgentID(agent)
	if id == 0 {
		poke(s.resync)
		return
	}
	if !s.cfg.Agents.Native(id) {
		return
	}
	s.mu.Lock()
	s.ready[id] = true
	s.mu.Unlock()
	s.wake()
}

func (s *Scheduler) onCancelled(task int64) {
	if task == 0 {
		poke(s.resync)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for lease, cancel := range s.cancels {
		if lease.Task == parley.TaskID(task) {
			cancel(errCancelled)
		}
	}
	if cancel := s.reserved[parley.TaskID(task)]; cancel != nil {
		cancel(errCancelled)
	}
}

func (s *Scheduler) wake() { poke(s.nudge) }

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
