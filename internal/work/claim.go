package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// errCancelled and errStopping say why a turn's context ended.
var (
	errCancelled = errors.New("the task was cancelled")
	errStopping  = errors.New("the hub is stopping")
)

// claim takes what can run now, for all agents in one transaction.
func (s *Scheduler) claim(ctx context.Context) {
	wanted := s.reserveAll()
	if len(wanted) == 0 {
		return
	}
	got := map[parley.AgentID][]parley.Lease{}
	// Hubs that claim at the same time lock the agents in the same order.
	agents := slices.Sorted(maps.Keys(wanted))
	err := s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		clear(got)
		taken := false
		for _, agent := range agents {
			leases, err := s.claimFor(tx, agent, wanted[agent])
			if err != nil {
				return err
			}
			got[agent] = leases
			taken = taken || len(leases) > 0
		}
		if taken {
			tx.SkipSync()
			s.renew(tx) // after the agents, in the same order as a handed-over contact
		}
		return nil
	})
	if err != nil {
		if ctx.Err() == nil {
			s.cfg.Log.Error("claiming failed", "error", err)
			s.pauseClaims(time.Second)
		}
		got = nil
	}
	for _, agent := range agents {
		s.startClaimed(agent, wanted[agent], got[agent], err == nil)
	}
}

// pauseClaims stops claiming for a while. Otherwise the slots that a failed claim
// releases would trigger the next claim at once, for as long as the database is in
// trouble.
func (s *Scheduler) pauseClaims(d time.Duration) {
	s.mu.Lock()
	s.claimsPaused = true
	s.mu.Unlock()
	time.AfterFunc(d, func() {
		s.mu.Lock()
		s.claimsPaused = false
		s.mu.Unlock()
		s.wake()
	})
}

// reserveAll takes slots for every agent that may have work, as far as the limits of
// the agent and the hub allow.
func (s *Scheduler) reserveAll() map[parley.AgentID]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[parley.AgentID]int{}
	for _, agent := range s.readyInTurn() {
		if s.freeSlots <= 0 || s.stopping || s.claimsPaused {
			break
		}
		if s.paused[s.cfg.Agents.Team(agent)] {
			continue // it stays ready until the team resumes
		}
		n := min(s.freeSlots, s.cfg.Agents.Limits(agent).Turns-s.running[agent])
		if n <= 0 {
			continue
		}
		// Unmark the agent before looking: what is stored from now on marks it again,
		// whether or not the look still sees it.
		delete(s.ready, agent)
		s.lastServed = agent
		wanted[agent] = n
		s.freeSlots -= n
		s.running[agent] += n
	}
	return wanted
}

// readyInTurn returns the agents that may have work, starting after the one served
// last: where slots are few, everybody gets one in time.
func (s *Scheduler) readyInTurn() []parley.AgentID {
	ready := slices.Sorted(maps.Keys(s.ready))
	next := slices.IndexFunc(ready, func(id parley.AgentID) bool { return id > s.lastServed })
	if next < 0 {
		return ready
	}
	return slices.Concat(ready[next:], ready[:next])
}

// claimFor claims up to n tasks of an agent. The agent's lock decides whether a
// strictly sequential agent is busy on another hub.
func (s *Scheduler) claimFor(tx *store.Tx, agent parley.AgentID, n int) ([]parley.Lease, error) {
	a, err := tx.LockAgent(agent)
	if err != nil || a.Gone() {
		return nil, err
	}
	if a.Turns == 1 {
		open, err := tx.AgentOpenTasks(agent)
		if err != nil || open.Running > 0 {
			return nil, err
		}
	}
	tasks, err := tx.Claimable(agent, n)
	if err != nil {
		return nil, err
	}
	leases := make([]parley.Lease, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		t.State, t.Worker, t.Token, t.Waits = parley.Running, s.worker, t.Token+1, parley.WaitNone
		if t.StartedAt == 0 {
			t.StartedAt = tx.Now
		}
		tx.UpdateTask(t)
		tx.MarkDelivered(t.Request, t.Agent)
		leases = append(leases, t.Lease())
	}
	return leases, nil
}

// startClaimed starts what was claimed and releases the slots left over.
func (s *Scheduler) startClaimed(agent parley.AgentID, n int, leases []parley.Lease, looked bool) {
	if !looked || len(leases) == n {
		s.mu.Lock()
		s.ready[agent] = true // there may be more
		s.mu.Unlock()
		s.wake() // slots that became free meanwhile woke nobody: the agent was not marked
	}
	for range n - len(leases) {
		s.leave(agent)
		s.freeSlot()
	}
	for _, l := range leases {
		s.turns.Add(1)
		s.start(newTurnContext(), l, nil)
	}
}

// turnContext is cancelled, with the reason, to end a task's turns.
type turnContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

func newTurnContext() (t turnContext) {
	t.Context, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// start runs a task that has its slot and is counted in turns. h is what is already
// known of a task that was just stored; nil otherwise.
func (s *Scheduler) start(ctx turnContext, l parley.Lease, h *parley.Handover) {
	s.mu.Lock()
	s.cancels[l] = ctx.cancel
	if s.interrupted {
		ctx.cancel(errStopping)
	}
	s.mu.Unlock()
	go func() {
		defer s.turns.Done()
		slot := &workerSlot{s: s, agent: l.Agent, strict: s.cfg.Agents.Limits(l.Agent).Turns == 1, held: true}
		err := s.run(ctx, l, h, slot)
		s.mu.Lock()
		delete(s.cancels, l)
		s.mu.Unlock()
		if err != nil {
			s.giveBack(ctx, l, err)
		}
		ctx.cancel(nil)
		slot.end()
	}()
}

// run runs the turns of a task. A panic in a tool or a model breaks that turn only,
// not the hub and the other turns.
func (s *Scheduler) run(ctx context.Context, l parley.Lease, h *parley.Handover, slot *workerSlot) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a turn: %v\n%s", p, debug.Stack())
		}
	}()
	return s.runner.Run(ctx, l, h, slot)
}

// giveBack returns a task whose turn could not continue. A turn that stopped with the
// hub is simply queued again. One that broke counts as a rescue, so that a task that
// always breaks is given up in the end.
func (s *Scheduler) giveBack(ctx context.Context, l parley.Lease, cause error) {
	switch context.Cause(ctx) {
	case errCancelled:
		return // it has ended
	case errStopping:
		s.retry(func() error { return s.requeue(l) })
		return
	}
	if errors.Is(cause, parley.ErrPaused) {
		s.retry(func() error { return s.requeue(l) })
		return
	}
	s.cfg.Log.Error("a turn broke", "task", l.Task, "error", cause)
	s.retry(func() error { return s.rescueTask(context.Background(), l.Task, l.Worker, l.Token) })
}

// retry keeps trying to store something while the database is in trouble, for example
// because the disk is full. When the hub stops it tries once more; the next start
// takes over what could not be stored.
func (s *Scheduler) retry(store func() error) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := store()
		if err == nil {
			return
		}
		s.cfg.Log.Error("a task could not be given back", "error", err)
		timer := time.NewTimer(wait)
		select {
		case <-s.quit:
			timer.Stop()
			if err := store(); err != nil {
				s.cfg.Log.Error("a task was left for the next start", "error", err)
			}
			return
		case <-timer.C:
		}
	}
}

// requeue returns a task as if it had not been claimed.
func (s *Scheduler) requeue(l parley.Lease) error {
	return s.cfg.Store.Update(context.Background(), func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(l.Task)
		if err != nil {
			return err
		}
		t := &tasks[0]
		if t.LeasedTo(l.Token) {
			t.State, t.Worker = parley.Queued, 0
			tx.UpdateTask(t)
		}
		return nil
	})
}
