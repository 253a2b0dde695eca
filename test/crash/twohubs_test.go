package crash

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
)

// Two hubs share a database, and either of them is killed under load.
func TestTwoHubsKilledUnderLoad(t *testing.T) {
	hubsUnderLoad(t, []string{"first", "second"},
		moods{starting: 100 * time.Millisecond, running: 1500 * time.Millisecond, acks: 100})
}

// Three hubs share a database. Now and then one is frozen instead of killed, often for
// longer than its lease, and wakes up again.
func TestThreeHubsKilledAndFrozenUnderLoad(t *testing.T) {
	hubsUnderLoad(t, []string{"first", "second", "third"},
		moods{starting: 100 * time.Millisecond, running: time.Second, acks: 100, frozen: 3 * time.Second})
}

// hubsUnderLoad lets hubs with a lease of a second share a database. All take locks in
// the same order, so there is never a deadlock.
func hubsUnderLoad(t *testing.T, names []string, m moods) {
	before := len(server.deadlocks(newGround(t)))
	campaigns(t, func(g *ground) *siege {
		dsn := newDatabase(g)
		s := &siege{ground: g, moods: m,
			open:    func() (database, error) { return openPostgres(context.Background(), dsn) },
			besides: func() { server.crash(g) },
		}
		for _, name := range names {
			s.places = append(s.places, g.place(name, team{store: dsn, lease: time.Second}))
		}
		return s
	})
	if list := server.deadlocks(newGround(t))[before:]; len(list) > 0 {
		t.Errorf("the server met %d deadlocks, such as %s", len(list), list[0])
	}
}

// The first hub has one slot for turns, which is taken for the whole test. So the
// second hub does what is asked of the first, and whoever waits at the first is told
// at once, not at the next slow look.
func TestAskedAtOneHubAnsweredAtTheOther(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	first := g.start(g.place("first", team{store: dsn, workers: 1, agents: []string{"Idler"}}))
	here := first.waitUp()
	busy, err := here.Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "Idler", Message: "Keep the place."})
	if err != nil {
		t.Fatal(err)
	}
	if busy.Task.State != parley.Running.String() {
		t.Fatalf("the task that should keep the first hub busy is %s", busy.Task.State)
	}
	second := g.start(g.place("second", team{store: dsn, agents: []string{"Idler"}}))
	second.waitUp()

	const slowLook = 2 * time.Second // of whoever waits and hears nothing
	fastest := time.Hour
	for i := range 5 {
		begun := time.Now()
		made, err := here.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "Ann", Message: fmt.Sprintf("part #%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		ended, err := here.WaitTask(t.Context(), made.Task.ID, patience)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("part #%d by Ann", i); ended.Result != want {
			t.Fatalf("%s is %s: %q; want %q", ended.ID, ended.State, ended.Result, want)
		}
		fastest = min(fastest, time.Since(begun))
	}
	if fastest > slowLook/2 {
		t.Errorf("the fastest of five answers took %v: whoever waits at one hub is not told what ends at the other", fastest)
	}
	if got := g.runningOn(dsn, busy.Task.ID); got != first.cmd.Process.Pid {
		t.Errorf("the first hub's place is held by process %d, not by %d", got, first.cmd.Process.Pid)
	}
}

// Hubs that start at the same moment make one schema and one team together.
func TestHubsStartAtOnce(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	var hubs []*hub
	for i := range 4 {
		hubs = append(hubs, g.start(g.place(fmt.Sprint("hub-", i), team{store: dsn})))
	}
	for _, h := range hubs {
		list, err := h.waitUp().Agents(t.Context())
		if err != nil || len(list) != len(agents)+1 {
			t.Errorf("a hub knows %d participants (%v)", len(list), err)
		}
	}
	for _, h := range hubs {
		h.stop()
	}
}

// What a dead hub was doing is taken over by the other when its lease has run
// out.
func TestADeadHubsWorkIsTakenOver(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	shared := team{store: dsn, lease: time.Second, agents: []string{"Idler"}}
	first, second := g.start(g.place("first", shared)), g.start(g.place("second", shared))
	here, there := first.waitUp(), second.waitUp()
	made, err := here.Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "Idler", Message: "Take your time."})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.runningOn(dsn, made.Task.ID); got != first.cmd.Process.Pid {
		t.Fatalf("%s runs in process %d, not in %d", made.Task.ID, got, first.cmd.Process.Pid)
	}
	first.kill()
	g.eventually("the second hub takes over", func(ctx context.Context) (bool, error) {
		now, err := there.Task(ctx, made.Task.ID)
		return err == nil && now.State == parley.Running.String() && now.Rescues == 1, err
	})
	if got := g.runningOn(dsn, made.Task.ID); got != second.cmd.Process.Pid {
		t.Errorf("%s runs in process %d, not in %d", made.Task.ID, got, second.cmd.Process.Pid)
	}
}

// runningOn is the process of the hub that holds a task's lease; hubs are
// registered as host:process.
func (g *ground) runningOn(dsn, id string) (process int) {
	g.Helper()
	task, err := parley.ParseTaskID(id)
	if err != nil {
		g.Fatal(err)
	}
	db, err := openPostgres(context.Background(), dsn)
	if err != nil {
		g.Fatal(err)
	}
	defer db.close()
	name := ""
	err = db.each(fmt.Sprintf("SELECT w.name FROM task t JOIN worker w ON w.id = t.worker_id WHERE t.id = %d", task),
		func(c cells) { name = c.Text(0) })
	if err != nil {
		g.Fatal(err)
	}
	if _, err := fmt.Sscanf(name[strings.LastIndexByte(name, ':')+1:], "%d", &process); err != nil {
		g.Fatalf("%s is held by the worker %q", id, name)
	}
	return process
}
