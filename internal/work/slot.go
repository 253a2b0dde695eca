package work

import (
	"context"
	"sync"

	"parley"
	"parley/internal/store"
)

// workerSlot is the parley.Slot of this hub: a turn's slot among the hub's workers and among its agent's turns. A turn
// that waits for another one releases it: if waiting turns held all slots, nobody
// could answer them. Only an agent that runs strictly one turn at a time still counts
// its turn while that turn waits.
type workerSlot struct {
	s      *Scheduler
	agent  parley.AgentID
	strict bool

	mu   sync.Mutex
	held bool
}

// Release gives the slot to others. A second call does nothing.
func (l *workerSlot) Release() {
	if l.drop() {
		if !l.strict {
			l.s.leave(l.agent)
		}
		l.s.freeSlot()
	}
}

// end releases the slot for good.
func (l *workerSlot) end() {
	held := l.drop()
	if held || l.strict {
		l.s.leave(l.agent)
	}
	switch {
	case held:
		l.s.freeSlot()
	case l.strict:
		l.s.wakeIfReady() // its next turn may begin
	}
}

func (l *workerSlot) drop() (held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held, l.held = l.held, false
	return held
}

// Acquire waits for a slot. Returning turns go before new ones, even if their agent
// has started others meanwhile.
func (l *workerSlot) Acquire(ctx context.Context) error {
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

// enqueue takes a slot, or returns a channel that signals when there is one.
func (s *Scheduler) enqueue() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freeSlots > 0 {
		s.freeSlots--
		return nil
	}
	ch := make(chan struct{}, 1)
	s.waiters = append(s.waiters, ch)
	return ch
}

// abandon removes a waiter from the queue. If it has just been given a slot, that
// goes to the next.
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
	s.freeSlot()
}

// freeSlot gives a slot to the next waiter, or back to the claims.
func (s *Scheduler) freeSlot() {
	s.mu.Lock()
	if len(s.waiters) > 0 {
		ch := s.waiters[0]
		s.waiters = s.waiters[1:]
		s.mu.Unlock()
		ch <- struct{}{}
		return
	}
	s.freeSlots++
	s.mu.Unlock()
	s.wakeIfReady()
}

// wakeIfReady has the loop claim, if somebody may have something to claim.
func (s *Scheduler) wakeIfReady() {
	s.mu.Lock()
	some := len(s.ready) > 0
	s.mu.Unlock()
	if some {
		s.wake()
	}
}

// enter adds to the count of an agent's turns.
func (s *Scheduler) enter(agent parley.AgentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[agent]++
}

// leave subtracts from the count of an agent's turns.
func (s *Scheduler) leave(agent parley.AgentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[agent]--; s.running[agent] <= 0 {
		delete(s.running, agent)
	}
}

// Reserve holds a slot for a task that is about to be stored, if one is free now and
// no other task of the agent waits for it. So nobody is overtaken. If the caller gives up
// while it waits for a heartbeat, it holds none.
func (s *Scheduler) Reserve(ctx context.Context, agent parley.AgentID) (*Reservation, bool) {
	if !s.cfg.Agents.Native(agent) {
		return nil, false
	}
	turns := s.cfg.Agents.Limits(agent).Turns
	if turns == 1 && s.cfg.Store.Shared() {
		return nil, false // another hub may be running a turn: only a claim can tell, under its lock
	}
	if !s.takeSlot(agent, turns) {
		return nil, false
	}
	r := &Reservation{s: s, agent: agent, turn: newTurnContext()}
	if err := s.stayAlive(ctx); err != nil {
		r.Cancel()
		return nil, false
	}
	return r, true
}

// takeSlot takes a free slot for a turn of an agent that may run so many.
func (s *Scheduler) takeSlot(agent parley.AgentID, turns int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || s.paused[s.cfg.Agents.Team(agent)] || s.freeSlots <= 0 || s.ready[agent] || s.running[agent] >= turns {
		return false
	}
	s.freeSlots--
	s.running[agent]++
	s.turns.Add(1) // before stop starts to wait for the turns
	return true
}

// Reservation is a slot held for a task that is about to be stored. Exactly one of
// Start and Cancel must be called.
type Reservation struct {
	s     *Scheduler
	agent parley.AgentID
	task  parley.TaskID // set by Claim
	turn  turnContext
}

// Claim leases a new task to this slot. From now on a cancellation of the task
// reaches its turn, even before the turn begins.
func (r *Reservation) Claim(tx *store.Tx, t *parley.Task) {
	r.s.renew(tx)
	t.State, t.Worker, t.Token, t.StartedAt = parley.Running, r.s.worker, 1, tx.Now
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	delete(r.s.reserved, r.task) // from an earlier run of the transaction
	r.task = t.ID
	r.s.reserved[r.task] = r.turn.cancel
}

// Start runs the stored task.
func (r *Reservation) Start(h parley.Handover) {
	r.s.start(r.turn, h.Task.Lease(), &h)
	r.forget()
}

// Cancel releases the slot.
func (r *Reservation) Cancel() {
	r.forget()
	r.turn.cancel(nil)
	r.s.leave(r.agent)
	r.s.freeSlot()
	r.s.turns.Done()
}

func (r *Reservation) forget() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	delete(r.s.reserved, r.task)
}
