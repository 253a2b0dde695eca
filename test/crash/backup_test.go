package crash

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"parley/internal/store/sqlite"
)

// A backup of a hub at work, restored elsewhere: everything that was accepted
// before the backup began is there, and the restored hub finishes what was open.
func TestBackupUnderLoad(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	gate, ledger := newGate(), newLedger()
	_, seed := newRandom(t)
	load := startLoad(gate, ledger, seed, clients)
	defer load.finish(0)
	h := g.start(p)
	gate.open(0, h.waitUp())
	g.eventually("work", func(context.Context) (bool, error) { return ledger.total() >= 100, nil })

	before := ledger.snapshot()
	file := g.path("backup.tar.gz")
	g.parley("backup", file, "--dir", p.team, "--data", p.data)
	h.kill()
	gate.shut(0)

	g.parley("restore", file, g.path("restored"))
	// place.team and place.data of a restored folder are one.
	r := &place{team: g.path("restored"), data: g.path("restored/.parley"), log: g.path("restored.log")}
	if err := sqlite.Verify(r.database()); err != nil {
		t.Fatal(err)
	}
	again := g.start(r)
	c := again.waitUp()
	g.settle(c)
	found := 0
	for key, e := range before {
		if !e.accepted {
			continue
		}
		found++
		if _, err := c.Message(t.Context(), e.message); err != nil {
			t.Errorf("%s, accepted as %s before the backup: %v", key, e.message, err)
		}
		if e.task == "" {
			continue
		}
		if task, err := c.Task(t.Context(), e.task); err != nil || task.Ended == nil {
			t.Errorf("%s has not ended (%v)", e.task, err)
		}
	}
	if found == 0 {
		t.Error("nothing was accepted before the backup")
	}
	again.stop()
	db, err := openSQLite(r.database())
	if err != nil {
		t.Fatal(err)
	}
	record, err := read(db)
	if err := errors.Join(err, db.close()); err != nil {
		t.Fatal(err)
	}
	if problems := atRest(record); len(problems) > 0 {
		t.Errorf("the restored database:\n%s", lines(problems))
	}
	t.Logf("%d contacts accepted before the backup, %d tasks restored", found, len(record.tasks))
}

// parley runs a command that must succeed.
func (g *ground) parley(args ...string) {
	g.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		g.Fatalf("parley %v: %v\n%s", args, err, out)
	}
}
