// Package schedule has agents work at given times, and tells requesters of tasks in which
// nothing happens.
//
// What agents are asked to do is in their files, and how far that has come is in the store.
// The next time of every entry is also kept here, in a heap with one timer, so that waiting
// costs nothing however many agents have schedules. What is kept here is a hint: when an
// entry is due, the work is made in a transaction that compares and moves the stored time.
// Several hubs look at the same time, and one of them makes the work.
//
// A Service may be used from any goroutine. Its mutex guards the heap and the teams.
package schedule

import (
	"container/heap"
	"context"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/store"
	"parley/internal/wake"
)

// Maker makes the work that is due, and tells of tasks without progress. Package contact
// implements it.
type Maker interface {
	MakeScheduled(ctx context.Context, e contact.Scheduled) (contact.Occasion, error)
	// Nudge says how long it is at least until the task may have been quiet for too long.
	Nudge(ctx context.Context, id parley.TaskID, quiet time.Duration) (time.Duration, error)
}

// Config is what a Service needs.
type Config struct {
	Store     store.Store
	Directory *directory.Directory
	Access    *access.Control
	Maker     Maker
	Log       *slog.Logger
}

// Service is the schedules of all teams of a hub.
type Service struct {
	cfg   Config
	alarm chan struct{} // something is due earlier than known, or may go on; holds at most one
	watch chan struct{} // what is to be nudged has changed; holds at most one

	mu      sync.Mutex
	teams   map[parley.TeamID]team
	queue   queue
	awaited map[parley.TaskID]bool // tasks whose end some entry of the heap waits for
}

// team is what the files of a team say.
type team struct {
	entries map[place]*item
	quiet   map[parley.AgentID]time.Duration // after which the requesters of an agent's tasks are told
}

// place names an entry.
type place struct {
	agent parley.AgentID
	entry string
}

// New makes the service. Run has to run for anything to happen.
func New(cfg Config) *Service {
	return &Service{cfg: cfg, alarm: make(chan struct{}, 1), watch: make(chan struct{}, 1),
		teams: map[parley.TeamID]team{}, awaited: map[parley.TaskID]bool{}}
}

// Pauses between two looks at what failed, and at what is held or busy. A signal says at
// once when it may go on; the look makes up for a lost one.
const (
	afterFailure = time.Second
	whileHeld    = 30 * time.Second
)

// Run makes what is due until the context is done.
func (s *Service) Run(ctx context.Context) {
	bus := s.cfg.Store.Bus()
	defer bus.Listen(wake.Team, func(int64) { s.release(func(i *item) bool { return i.held }) })()
	defer bus.Listen(wake.Ended, func(id int64) { s.ended(parley.TaskID(id)) })()
	var beside sync.WaitGroup
	beside.Go(func() { s.runNudges(ctx) })
	defer beside.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.alarm:
		case <-timer.C:
		}
		timer.Reset(s.makeDue(ctx))
	}
}

// atOnce is how many entries are made at the same time: their commits then share a sync of
// the disk.
const atOnce = 16

// noAlarm is how long to sleep if nothing is scheduled. Otherwise the clock on the wall is
// looked at every minute, without the store: a machine that was asleep, or whose clock was
// set, is not late by that time.
const (
	noAlarm  = time.Hour
	longNap  = time.Minute
	shortNap = 50 * time.Millisecond
)

// makeDue makes everything that is due, and returns how long it is until the next is.
func (s *Service) makeDue(ctx context.Context) time.Duration {
	for ctx.Err() == nil {
		due, wait := s.takeDue(time.Now().Round(0)) // without the clock that stops in a sleep
		if len(due) == 0 {
			return wait
		}
		var made sync.WaitGroup
		for _, i := range due {
			made.Go(func() { s.look(ctx, i) })
		}
		made.Wait()
	}
	return noAlarm
}

// takeDue takes some entries that are due from the heap. If none is, it says how long that
// takes.
func (s *Service) takeDue(now time.Time) (due []*item, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 && len(due) < atOnce {
		if left := s.queue[0].at.Sub(now); left > 0 {
			return due, min(max(left, shortNap), longNap)
		}
		due = append(due, heap.Pop(&s.queue).(*item))
	}
	return due, noAlarm
}

// look makes the work of an entry if its stored time has come, and puts the entry back for
// its next time.
func (s *Service) look(ctx context.Context, i *item) {
	o, err := s.cfg.Maker.MakeScheduled(ctx, i.Scheduled)
	now := time.Now().Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.awaited, i.task)
	i.task = 0
	switch {
	case err != nil:
		if ctx.Err() == nil {
			s.cfg.Log.Warn("scheduled work could not be made", "entry", i.Entry, "error", err)
		}
		i.at = now.Add(afterFailure)
	case o.Gone:
		return // the files say something else; reading them brings it back
	case o.Held:
		i.held, i.at = true, now.Add(whileHeld)
	case o.Busy != 0:
		s.awaited[o.Busy], i.task, i.at = !i.dropped, o.Busy, now.Add(whileHeld)
	default:
		i.held, i.at = false, o.Next.Time()
		if o.Task == 0 && !i.at.After(now) {
			i.at = now.Add(afterFailure) // the store's time is behind this clock
		}
	}
	if !i.dropped {
		heap.Push(&s.queue, i)
	}
}

// ended has the entry looked at that waits for the end of a task; all such entries if it is
// not known which has ended. It is told of every task, and looks at the heap for few.
func (s *Service) ended(id parley.TaskID) {
	s.mu.Lock()
	waits := s.awaited[id] || id == 0 && len(s.awaited) > 0
	s.mu.Unlock()
	if waits {
		s.release(func(i *item) bool { return i.task != 0 && (i.task == id || id == 0) })
	}
}

// release has those entries looked at that may go on.
func (s *Service) release(may func(*item) bool) {
	now, found := time.Now().Round(0), false
	s.mu.Lock()
	for _, i := range s.queue {
		if may(i) {
			i.at, i.held, found = now, false, true
		}
	}
	if found {
		heap.Init(&s.queue)
	}
	s.mu.Unlock()
	if found {
		poke(s.alarm)
	}
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // it has one already
	}
}

// item is an entry, and when to look at it next.
type item struct {
	contact.Scheduled
	at      time.Time
	held    bool          // it is looked at again when somebody lets it go on
	task    parley.TaskID // it is looked at again when this one has ended
	dropped bool          // the files were read again since
}

// queue is a heap of entries, the next one first.
type queue []*item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*item)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	i := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return i
}
