package work

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// bench is a scheduler on a database in memory, driven by hand: its loop does not
// run, so a test can stand between two looks.
type bench struct {
	*testing.T
	*Scheduler
	store *memtest.Store
	agent parley.AgentID
	team  parley.TeamID
	gone  []string // tasks given up, and why
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, store: memtest.Open(t)}
	b.Scheduler = New(Config{Store: b.store, Agents: crew{}, Log: slog.New(slog.DiscardHandler), Workers: 4})
	first, ann := parley.Agent{Name: "First", Kind: parley.Native}, parley.Agent{Name: "Ann", Kind: parley.Native, Turns: 3}
	b.team = b.store.Team("main", &first, &ann) // the first of a crew runs strictly one turn
	b.agent = ann.ID
	if err := b.Start(t.Context(), nil, b); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.unlisten)
	return b
}

// Fail records what the scheduler gives up.
func (b *bench) Fail(_ context.Context, id parley.TaskID, reason string) error {
	b.gone = append(b.gone, reason)
	b.store.Change(id, func(t *parley.Task) { t.State = parley.TaskFailed })
	return nil
}

func (b *bench) Expire(context.Context, parley.ApprovalID) error       { return nil }
func (b *bench) TendQuestion(context.Context, parley.QuestionID) error { return nil }
func (b *bench) TellReminder(context.Context, parley.Reminder) error   { return nil }
func (b *bench) Settle(context.Context, parley.TaskID) error           { return nil }
func (b *bench) AskManagers(context.Context) error                     { return nil }

// queued stores a task that can be claimed.
func (b *bench) queued(how ...func(*parley.Task)) (t parley.Task) {
	b.Helper()
	b.store.Do(func(tx *store.Tx) error {
		t = parley.Task{ID: tx.NewTaskID(), Team: b.team, Agent: b.agent, Requester: 1, Pattern: parley.Delegate, Priority: parley.Normal, State: parley.Queued}
		t.Root = t.ID
		for _, change := range how {
			change(&t)
		}
		tx.InsertTask(&t)
		return nil
	})
	return t
}

// stale is a lease that was lost: the task was given back and taken again, by another
// worker or by the same one.
func (b *bench) stale(worker int64) (old, now parley.Lease) {
	b.Helper()
	id := b.queued().ID
	old = b.store.Claim(id, b.worker)
	b.store.Requeue(id)
	return old, b.store.Claim(id, worker)
}

// A turn that is stopped or paused gives its task back only if it still holds the
// lease.
func TestATaskIsGivenBackUnderItsLeaseOnly(t *testing.T) {
	b := newBench(t)
	mine := b.store.Claim(b.queued().ID, b.worker)
	if err := b.requeue(mine); err != nil {
		t.Fatal(err)
	}
	if got := b.store.Task(mine.Task); got.State != parley.Queued || got.Worker != 0 || got.Rescues != 0 {
		t.Errorf("its own: %s, worker %d, %d rescues", got.State, got.Worker, got.Rescues)
	}
	for name, worker := range map[string]int64{"another worker has it": 99, "this worker has it again": b.worker} {
		old, now := b.stale(worker)
		if err := b.requeue(old); err != nil {
			t.Fatal(err)
		}
		if got := b.store.Task(old.Task); got.State != parley.Running || got.Lease() != now {
			t.Errorf("%s: %s, %+v", name, got.State, got.Lease())
		}
	}
}

// A task is taken over only under the lease that the dead worker was seen to hold.
func TestATakeOverIsUnderTheLeaseThatWasSeen(t *testing.T) {
	b := newBench(t)
	held := b.store.Claim(b.queued().ID, 99)
	otherNow := b.store.Claim(b.queued().ID, b.worker)
	other := otherNow
	other.Worker = 99
	again, againNow := b.stale(b.worker)
	if err := b.takeOver(t.Context(), []parley.Lease{held, other, again}); err != nil {
		t.Fatal(err)
	}
	if got := b.store.Task(held.Task); got.State != parley.Queued || got.Worker != 0 || got.Rescues != 1 {
		t.Errorf("the dead one's: %s, worker %d, %d rescues", got.State, got.Worker, got.Rescues)
	}
	for name, now := range map[string]parley.Lease{"of another worker": otherNow, "of the same worker, claimed since": againNow} {
		if got := b.store.Task(now.Task); got.State != parley.Running || got.Lease() != now || got.Rescues != 0 {
			t.Errorf("%s: %s, %+v, %d rescues", name, got.State, got.Lease(), got.Rescues)
		}
	}
}

// A task that has broken as many workers as it may is given up with the next one, not
// before.
func TestATaskIsGivenUpAfterItsRescues(t *testing.T) {
	b := newBench(t)
	id := b.queued().ID
	most := crew{}.Limits(b.agent).Rescues
	for n := range most + 1 {
		if len(b.gone) > 0 {
			t.Fatalf("given up after %d rescues", n)
		}
		l := b.store.Claim(id, 99)
		if err := b.takeOver(t.Context(), []parley.Lease{l}); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.store.Task(id); got.State != parley.TaskFailed || got.Rescues != most || len(b.gone) != 1 || !strings.Contains(b.gone[0], "interrupted too often") {
		t.Errorf("%s after %d rescues: %q", got.State, got.Rescues, b.gone)
	}
}

// A lease of this hub without a turn is given back when it is seen for the second
// time: the first time it may be about to be.
func TestAStrayIsGivenBackAtTheSecondLook(t *testing.T) {
	b := newBench(t)
	stray := b.store.Claim(b.queued().ID, b.worker)
	look := func() parley.State {
		t.Helper()
		if err := b.reclaim(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.store.Task(stray.Task).State
	}
	if got := look(); got != parley.Running {
		t.Errorf("at first sight: %s", got)
	}
	if got := look(); got != parley.Queued {
		t.Errorf("at the second look: %s", got)
	}
	starts := b.store.Claim(b.queued().ID, b.worker)
	_ = look()
	b.mu.Lock()
	b.cancels[starts] = func(error) {}
	b.mu.Unlock()
	_ = look()
	if got := b.store.Task(starts.Task); got.State != parley.Running || got.Lease() != starts {
		t.Errorf("one that started meanwhile: %s", got.State)
	}
}

// A task that is being stored is nobody's stray, however long it takes until its turn begins.
// Whoever gives up storing it leaves one.
func TestATaskThatIsBeingStoredIsNoStray(t *testing.T) {
	b := newBench(t)
	r, ok := b.Reserve(t.Context(), b.agent)
	if !ok {
		t.Fatal("no free slot")
	}
	task := b.queued()
	b.store.Do(func(tx *store.Tx) error {
		r.Claim(tx, &task)
		tx.UpdateTask(&task)
		return nil
	})
	look := func() parley.State {
		t.Helper()
		if err := b.reclaim(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.store.Task(task.ID).State
	}
	for range 3 {
		if got := look(); got != parley.Running {
			t.Fatalf("while it is stored: %s", got)
		}
	}
	r.Cancel()
	if got := [...]parley.State{look(), look()}; got != [...]parley.State{parley.Running, parley.Queued} {
		t.Errorf("after the answer was lost: %s", got)
	}
}

// A turn whose lease is gone is cancelled even if the signal was lost.
func TestATurnWithoutALeaseIsCancelled(t *testing.T) {
	b := newBench(t)
	kept, lost := b.store.Claim(b.queued().ID, b.worker), b.store.Claim(b.queued().ID, b.worker)
	var cancelled []parley.Lease
	for _, l := range []parley.Lease{kept, lost} {
		b.cancels[l] = func(error) { cancelled = append(cancelled, l) }
	}
	b.store.Claim(lost.Task, 99)
	if err := b.reclaim(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(cancelled, []parley.Lease{lost}) {
		t.Errorf("cancelled %+v", cancelled)
	}
}

// A claim takes the most urgent task first, then the oldest, under a new token. It
// leaves what is not due.
func TestAClaimTakesTheMostUrgentFirst(t *testing.T) {
	b := newBench(t)
	old := b.queued()
	urgent := b.queued(func(t *parley.Task) { t.Priority = parley.Urgent })
	b.queued(func(t *parley.Task) { t.Priority, t.Due = parley.Urgent, 1<<60 })
	waits := b.queued(func(t *parley.Task) { t.Waits = parley.WaitDay })
	var leases []parley.Lease
	b.store.Do(func(tx *store.Tx) (err error) { leases, err = b.claimFor(tx, b.agent, 3); return err })
	var got []parley.TaskID
	for _, l := range leases {
		got = append(got, l.Task)
		task := b.store.Task(l.Task)
		if task.State != parley.Running || task.Worker != b.worker || task.Token != 1 || task.Lease() != l || task.StartedAt == 0 || task.Waits != parley.WaitNone {
			t.Errorf("%s: %+v", l.Task, task)
		}
	}
	if want := []parley.TaskID{urgent.ID, old.ID, waits.ID}; !slices.Equal(got, want) {
		t.Errorf("claimed %v, want %v", got, want)
	}
}

// Where slots are few, agents get them in turn, and none is passed over.
func TestAgentsComeToTheirPlacesInTurn(t *testing.T) {
	s := scheduler(1)
	var got []parley.AgentID
	for range 6 {
		for id := range parley.AgentID(3) {
			s.ready[id+2] = true
		}
		for id := range s.reserveAll() {
			got = append(got, id)
			s.leave(id)
			s.freeSlot()
		}
	}
	if want := []parley.AgentID{2, 3, 4, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
}
