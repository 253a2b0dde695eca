package work

import (
	"context"
	"sync"

	"parley"
	"parley/internal/store"
)

// Slot is a turn's place among the hub's workers and among its agent's turns.
// A turn that waits for another gives it back: with all places taken by
// waiting turns nobody could answer them. Only an agent that runs strictly one
// turn keeps its own place while that turn waits.
type Slot struct {
	s      *Scheduler
	agent  parley.AgentID
	strict bool

	mu   sync.Mutex
	held bool
}

// Release gives the place to others. Releasing twice is releasing once.
func (l *Slot) Release() {
	if l.drop() {
		if !l.strict {
			l.s.leave(l.agent)
		}
		l.s.free()
	}
}

// end is Release for good.
func (l *Slot) end() {
	held := l.drop()
	if held || l.strict {
		l.s.leave(l.agent)
	}
	if held {
		l.s.free()
	}
}

func (l *Slot) drop() (held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held, l.held = l.held, false
	return held
}

// Acquire waits for a place. Turns that come back go before new ones, even if
// their agent has begun others meanwhile.
func (l *Slot) Acquire(ctx context.Context) error {
	if ch := l.s.enqueue(); ch != nil {
		select {
		case <-ch:
		case <-ctx.Done():
			l.s.abandon(ch)
			return context.Cause(ctx)
		}
	}
	if !l.strict {
		l.s.enter(l.agent)
	}
	l.mu.Lock()
	l.held = true
	l.mu.Unlock()
	return nil
}

// enqueue takes a place, or returns the channel that tells when there is one.
func (s *Scheduler) enqueue() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places > 0 {
		s.places--
		return nil
	}
	ch := make(chan struct{}, 1)
	s.waiters = append(s.waiters, ch)
	return ch
}

// abandon takes a waiter out of the line; a place it was given just now goes
// to the next.
func (s *Scheduler) abandon(ch chan struct{}) {
	s.mu.Lock()
	for i, w := range s.waiters {
		if w == ch {
			s.waiters = append(s.waiters[:i], s.waiters[i+1:]...)
			s.mu.Unlock()
			return
		}
	}
	s.mu.Unlock()
	s.free()
}

// free gives a place to the next in line, or to the claims.
func (s *Scheduler) free() {
	s.mu.Lock()
	if len(s.waiters) > 0 {
		ch := s.waiters[0]
		s.waiters = s.waiters[1:]
		s.mu.Unlock()
		ch <- struct{}{}
		return
	}
	s.places++
	some := len(s.ready) > 0
	s.mu.Unlock()
	if some {
		s.wake()
	}
}

// enter puts a turn on its agent's count.
func (s *Scheduler) enter(agent parley.AgentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[agent]++
}

// leave takes a turn off its agent's count.
func (s *Scheduler) leave(agent parley.AgentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[agent]--; s.running[agent] <= 0 {
		delete(s.running, agent)
	}
}

// Reserve holds a place for a task that is about to be stored, if one is free
// now and nothing of the agent's waits for it: nobody is overtaken.
func (s *Scheduler) Reserve(agent parley.AgentID) (*Reservation, bool) {
	if !s.cfg.Agents.Native(agent) {
		return nil, false
	}
	turns := s.cfg.Agents.Limits(agent).Turns
	if turns == 1 && s.cfg.Store.Shared() {
		return nil, false // another hub may be running it: that needs the lock of a claim
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || s.halted[s.cfg.Agents.Team(agent)] || s.places <= 0 || s.ready[agent] || s.running[agent] >= turns {
		return nil, false
	}
	s.places--
	s.running[agent]++
	s.turns.Add(1) // before the stop begins to wait for the turns
	return &Reservation{s: s, agent: agent, turn: newTurnContext()}, true
}

// Reservation is a place held for a task that is about to be stored. Exactly
// one of Start and Cancel is called.
type Reservation struct {
	s     *Scheduler
	agent parley.AgentID
	task  parley.TaskID // once it is claimed
	turn  turnContext
}

// Claim gives the lease of a new task to this place and makes it hold. Whoever
// cancels the task from now on reaches its turn, even before that begins.
func (r *Reservation) Claim(tx *store.Tx, t *parley.Task) {
	r.s.renew(tx)
	t.State, t.Worker, t.Token, t.StartedAt = parley.Running, r.s.worker, 1, tx.Now
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	delete(r.s.promised, r.task) // by an earlier run of the transaction
	r.task = t.ID
	r.s.promised[r.task] = r.turn.cancel
}

// Start runs the task that was stored.
func (r *Reservation) Start(h parley.Handover) {
	r.s.start(r.turn, h.Task.Lease(), &h)
	r.forget()
}

// Cancel gives the place back.
func (r *Reservation) Cancel() {
	r.forget()
	r.turn.cancel(nil)
	r.s.leave(r.agent)
	r.s.free()
	r.s.turns.Done()
}

func (r *Reservation) forget() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	delete(r.s.promised, r.task)
}
