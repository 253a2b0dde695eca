package work

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

// crew is a team whose agents 1 to 9 are native. The first runs strictly one turn,
// the others three.
type crew struct{}

func (crew) Native(id parley.AgentID) bool { return id < 10 }

func (crew) Team(parley.AgentID) parley.TeamID { return 1 }

func (crew) Limits(id parley.AgentID) parley.Limits {
	l := parley.DefaultLimits()
	l.Turns = 3
	if id == 1 {
		l.Turns = 1
	}
	return l
}

// alone is a database of one hub.
type alone struct{ store.Store }

func (alone) Shared() bool { return false }

// View finds nothing.
func (alone) View(context.Context, func(*store.Tx) error) error { return nil }

// shared is one of several.
type shared struct{ store.Store }

func (shared) Shared() bool { return true }

func scheduler(workers int) *Scheduler {
	return New(Config{Agents: crew{}, Store: alone{}, Workers: workers})
}

// take reserves a slot and holds it as a turn does.
func take(t *testing.T, s *Scheduler, agent parley.AgentID) *workerSlot {
	t.Helper()
	if _, ok := s.Reserve(t.Context(), agent); !ok {
		t.Fatalf("no place for agent %d", agent)
	}
	return &workerSlot{s: s, agent: agent, strict: crew{}.Limits(agent).Turns == 1, held: true}
}

func TestAReservationNeedsAPlaceAndATurn(t *testing.T) {
	for _, c := range []struct {
		name  string
		agent parley.AgentID
		with  func(s *Scheduler)
		want  bool
	}{
		{"an idle hub", 2, func(*Scheduler) {}, true},
		{"somebody the hub does not run", 10, func(*Scheduler) {}, false},
		{"no free slot", 2, func(s *Scheduler) { s.freeSlots = 0 }, false},
		{"all turns of the agent taken", 2, func(s *Scheduler) { s.running[2] = 3 }, false},
		{"a turn of the agent left", 2, func(s *Scheduler) { s.running[2] = 2 }, true},
		{"earlier work of the agent waits", 2, func(s *Scheduler) { s.ready[2] = true }, false},
		{"earlier work of another waits", 2, func(s *Scheduler) { s.ready[3] = true }, true},
		{"its team is paused", 2, func(s *Scheduler) { s.paused = map[parley.TeamID]bool{1: true} }, false},
		{"another team is paused", 2, func(s *Scheduler) { s.paused = map[parley.TeamID]bool{2: true} }, true},
		{"the hub stops", 2, func(s *Scheduler) { s.stopping = true }, false},
		{"one strict turn", 1, func(*Scheduler) {}, true},
		{"one strict turn that another hub may be running", 1, func(s *Scheduler) { s.cfg.Store = shared{} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scheduler(4)
			c.with(s)
			if _, ok := s.Reserve(t.Context(), c.agent); ok != c.want {
				t.Errorf("reserved: %v", ok)
			}
		})
	}
}

func TestACancelledReservationGivesItsPlaceBack(t *testing.T) {
	s := scheduler(1)
	r, ok := s.Reserve(t.Context(), 2)
	if !ok {
		t.Fatal("no free slot")
	}
	r.Cancel()
	if s.freeSlots != 1 || len(s.running) != 0 {
		t.Errorf("%d slots, running %v", s.freeSlots, s.running)
	}
}

func TestReleasingTwiceIsReleasingOnce(t *testing.T) {
	s := scheduler(2)
	slot := take(t, s, 2)
	slot.Release()
	slot.Release()
	slot.end()
	if s.freeSlots != 2 || len(s.running) != 0 {
		t.Errorf("%d slots, running %v", s.freeSlots, s.running)
	}
}

func TestAWaitingTurnMakesRoomForItsAgentsOthers(t *testing.T) {
	s := scheduler(10)
	waiting := take(t, s, 2)
	take(t, s, 2)
	take(t, s, 2)
	if _, ok := s.Reserve(t.Context(), 2); ok {
		t.Fatal("a fourth turn")
	}
	waiting.Release()
	if _, ok := s.Reserve(t.Context(), 2); !ok {
		t.Error("the waiting turn still counts")
	}
}

func TestAStrictAgentKeepsItsTurnWhileItWaits(t *testing.T) {
	s := scheduler(1)
	waiting := take(t, s, 1)
	waiting.Release()
	if _, ok := s.Reserve(t.Context(), 1); ok {
		t.Error("a second turn beside the waiting one")
	}
	other, ok := s.Reserve(t.Context(), 2)
	if !ok {
		t.Fatal("the worker's place was not given back")
	}
	other.Cancel()
	if err := waiting.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting.end()
	if s.freeSlots != 1 || len(s.running) != 0 {
		t.Errorf("%d slots, running %v", s.freeSlots, s.running)
	}
}

// The end of a turn wakes the loop only if there may be something to claim.
func TestTheEndOfATurnWakesTheLoop(t *testing.T) {
	for _, c := range []struct {
		name  string
		ready []parley.AgentID
		end   func(*workerSlot)
		want  bool
	}{
		{"nothing waits", nil, (*workerSlot).end, false},
		{"something waits for the slot", []parley.AgentID{2}, (*workerSlot).end, true},
		{"a strict agent's next turn waits, and its last one ends while it waits", []parley.AgentID{1}, func(l *workerSlot) {
			l.Release()
			received(l.s.nudge)
			l.end()
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scheduler(1)
			slot := take(t, s, 1)
			for _, agent := range c.ready {
				s.ready[agent] = true
			}
			c.end(slot)
			if got := received(s.nudge); got != c.want {
				t.Errorf("woken: %v", got)
			}
		})
	}
}

// A claim takes the mark of an agent away while it looks. Slots that become free meanwhile
// must not stay free if the agent has more to claim.
func TestWhatIsLeftAfterAClaimIsClaimedNext(t *testing.T) {
	for _, c := range []struct {
		name    string
		workers int
		busy    parley.AgentID   // its turn ends while tasks are claimed; 0: nobody's
		ready   []parley.AgentID // the last of them has more tasks than it gets slots, the others have one
	}{
		{"a turn ends during the claim", 2, 4, []parley.AgentID{2}},
		{"somebody has fewer tasks than it got slots", 4, 0, []parley.AgentID{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ran := scheduler(c.workers), make(causes) // turns wait until they are asked
			s.runner = ran
			var busy *workerSlot
			if c.busy > 0 {
				busy = take(t, s, c.busy)
			}
			for _, agent := range c.ready {
				s.ready[agent] = true
			}
			wanted := s.reserveAll()
			if busy != nil {
				busy.end()
				s.turns.Done()
			}
			for _, agent := range c.ready {
				s.startClaimed(agent, wanted[agent], []parley.Lease{{Task: parley.TaskID(100 + agent), Agent: agent}}, true)
			}
			if s.freeSlots == 0 || !received(s.nudge) {
				t.Errorf("%d slots are free, agents %v may have work, and nobody was woken", s.freeSlots, s.ready)
			}
			for range c.ready {
				<-ran
			}
			s.turns.Wait()
		})
	}
}

func TestTurnsThatComeBackGoBeforeNewOnes(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		s := scheduler(1)
		first := take(t, s, 2)
		first.Release()
		second := take(t, s, 3)
		back := make(chan error, 1)
		go func() { back <- first.Acquire(t.Context()) }()
		synctest.Wait()
		second.end()
		if _, ok := s.Reserve(t.Context(), 4); ok {
			t.Error("a new turn overtook the one that came back")
		}
		if err := <-back; err != nil {
			t.Error(err)
		}
	})
}

func TestAWaiterThatGivesUpPassesItsPlaceOn(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		s := scheduler(1)
		gone, next := take(t, s, 2), (*workerSlot)(nil)
		gone.Release()
		next = take(t, s, 3)
		next.Release()
		busy := take(t, s, 4)

		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		left, back := make(chan error, 1), make(chan error, 1)
		go func() { left <- gone.Acquire(ctx) }()
		synctest.Wait()
		go func() { back <- next.Acquire(t.Context()) }()
		synctest.Wait()
		cancel(stopped)
		if err := <-left; !errors.Is(err, stopped) {
			t.Errorf("%v", err)
		}
		gone.end()
		busy.end()
		if err := <-back; err != nil {
			t.Error(err)
		}
		next.end()
		if s.freeSlots != 1 || len(s.running) != 0 || len(s.waiters) != 0 {
			t.Errorf("%d slots, running %v, %d waiters", s.freeSlots, s.running, len(s.waiters))
		}
	})
}

func TestAPlaceGivenToAWaiterThatJustLeftIsNotLost(t *testing.T) {
	s := scheduler(1)
	busy := take(t, s, 2)
	ch := s.enqueue()
	busy.end() // gives the place to the waiter
	s.abandon(ch)
	if s.freeSlots != 1 {
		t.Errorf("%d slots", s.freeSlots)
	}
}

// However turns come, wait, return, give up and end, no slot is lost and none appears
// from nowhere.
func TestPlacesAreNeitherLostNorMadeUp(t *testing.T) {
	const workers, turns = 3, 200
	s := scheduler(workers)
	var wg sync.WaitGroup
	for i := range turns {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			agent := parley.AgentID(1 + random.IntN(5))
			if _, ok := s.Reserve(t.Context(), agent); !ok {
				return
			}
			slot := &workerSlot{s: s, agent: agent, strict: agent == 1, held: true}
			defer slot.end()
			for range random.IntN(4) {
				slot.Release()
				ctx, cancel := context.WithCancel(context.Background())
				if random.IntN(3) == 0 {
					cancel()
				}
				err := slot.Acquire(ctx)
				cancel()
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	if s.freeSlots != workers || len(s.running) != 0 || len(s.waiters) != 0 {
		t.Errorf("%d slots of %d, running %v, %d waiters", s.freeSlots, workers, s.running, len(s.waiters))
	}
}

// causes is a runner that reports why a turn's context had already ended when the
// turn began.
type causes chan error

func (c causes) Run(ctx context.Context, _ parley.Lease, _ *parley.Handover, _ parley.Slot) error {
	c <- context.Cause(ctx)
	return nil
}

func TestATaskThatIsCancelledBeforeItsTurnBegins(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal int64
		want   error
	}{
		{"cancelled", 102, errCancelled},
		{"another is cancelled", 103, nil},
		{"an earlier run of the transaction was to make the one that is cancelled", 101, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ran := scheduler(1), make(causes, 1)
			s.runner = ran
			r, ok := s.Reserve(t.Context(), 2)
			if !ok {
				t.Fatal("no free slot")
			}
			var task parley.Task
			for _, id := range []parley.TaskID{101, 102} {
				task = parley.Task{ID: id, Agent: 2}
				r.Claim(&store.Tx{}, &task)
			}
			if err := s.reclaim(t.Context()); err != nil { // it is not stored yet, and not lost
				t.Fatal(err)
			}
			s.onCancelled(c.signal)
			r.Start(parley.Handover{Task: task})
			if got := <-ran; got != c.want {
				t.Errorf("the turn began with %v", got)
			}
			s.turns.Wait()
			if len(s.reserved)+len(s.cancels) > 0 || s.freeSlots != 1 {
				t.Errorf("left: reserved %v, running %v, %d slots", s.reserved, s.cancels, s.freeSlots)
			}
		})
	}
}
