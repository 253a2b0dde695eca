package crash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/api"
	"parley/client"
)

// disk is a small disk for the data folder of a hub.
type disk struct {
	dir  string
	free func(h *hub) // makes room
}

// disks are the two ways to get one. The first is real but needs the right to mount.
// The second works everywhere, but its failures come and go, since strace counts for
// each thread separately.
var disks = []struct {
	name string
	make func(g *ground, p *place, megabytes, writes int) (*disk, error)
}{
	{"a small file system", (*ground).mountSmall},
	{"writes that are refused", (*ground).refuseWrites},
}

// mountSmall mounts a file system of so many megabytes.
func (g *ground) mountSmall(p *place, megabytes, _ int) (*disk, error) {
	dir := filepath.Dir(p.data)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0755", megabytes)); err != nil {
		return nil, err
	}
	g.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			g.Error(err)
		}
	})
	return &disk{dir: dir, free: func(*hub) {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=256m,mode=0755"); err != nil {
			g.Fatal(err)
		}
	}}, nil
}

// refuseWrites makes strace answer the hub's writes to its database with "no space
// left on device" after so many writes.
func (g *ground) refuseWrites(p *place, _, writes int) (*disk, error) {
	g.strace("") // fails where there is none
	p.wrap = []string{"strace", "-D", "-f", "-q", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "signal=none",
		"-e", fmt.Sprintf("inject=pwrite64:error=ENOSPC:when=%d+", writes+1)}
	return &disk{free: func(h *hub) {
		// The hub continues when strace is gone.
		if err := syscall.Kill(g.tracer(h), syscall.SIGKILL); err != nil {
			g.Fatal(err)
		}
	}}, nil
}

// onSmallDisks runs a test on a small disk of either kind. Where nothing may be
// mounted, the other kind has to do.
func onSmallDisks(t *testing.T, megabytes, writes int, test func(g *ground, p *place, small *disk)) {
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			g := newGround(t)
			p := g.place("hub", team{})
			p.data = g.path("small/data")
			if err := os.Mkdir(filepath.Dir(p.data), 0o755); err != nil {
				t.Fatal(err)
			}
			small, err := kind.make(g, p, megabytes, writes)
			if err != nil {
				t.Logf("not here: %v", err)
				return
			}
			test(g, p, small)
		})
	}
}

// tracer is the process of the strace that looks at a hub.
func (g *ground) tracer(h *hub) (process int) {
	g.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.cmd.Process.Pid))
	if err != nil {
		g.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nTracerPid:")
	if _, err := fmt.Sscan(rest, &process); err != nil || process == 0 {
		g.Fatalf("nothing traces the hub: %v", err)
	}
	return process
}

// The disk fills up under load. Contacts are refused with the reason, the hub
// stays, and what was accepted is done when there is room again.
func TestTheDiskIsFull(t *testing.T) {
	onSmallDisks(t, 8, 700, diskFillsUp)
}

func diskFillsUp(g *ground, p *place, small *disk) {
	ctx := g.Context()
	h := g.start(p)
	hub := h.waitUp()

	var accepted []job
	tasks := map[string]job{}
	var refusal error
	for i := 0; refusal == nil; i++ {
		j := job{kind: kinds[i%(len(kinds)-1)], id: fmt.Sprint(i)} // all but the one that is cancelled
		made, err := hub.Contact(ctx, api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key(),
			Context: strings.Repeat("Much to read. ", 200)})
		if refusal = err; err == nil {
			accepted = append(accepted, j)
			if made.Task != nil {
				tasks[made.Task.ID] = j
			}
		}
	}
	if !strings.Contains(refusal.Error(), "disk is full") {
		g.Errorf("the refusal does not say that the disk is full: %v", refusal)
	}
	if _, err := hub.Hub(ctx); err != nil || !h.alive() {
		g.Fatalf("the hub does not go on: %v, %v\n%s", err, h.how(), h.lastWords())
	}

	small.free(h)
	j := job{kind: kinds[1], id: "after"}
	g.eventually("contacts are accepted again", func(ctx context.Context) (bool, error) {
		made, err := hub.Contact(ctx, api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key()})
		if err == nil {
			tasks[made.Task.ID] = j
		}
		return err == nil, err
	})
	stop := g.decideAll(ctx, hub)
	for id, j := range tasks {
		ended, err := hub.WaitTask(ctx, id, patience)
		if err != nil {
			g.Fatal(err)
		}
		if wrong := j.checkResult(ended.State, ended.Result, ended.Error); wrong != "" || spent(ended.Error) {
			g.Errorf("%s (%s) %s %s", id, j.text(), wrong, ended.Error)
		}
	}
	stop()
	g.settle(hub)
	h.stop()
	g.checkFile(p, accepted)
	g.Logf("%d contacts were accepted before the disk was full", len(accepted))
}

// The disk fails to sync. What it did not take is not acknowledged, and the hub does not
// believe it any more, even if it seems well again: it says what to do. After a start
// everything that was acknowledged is there, and is done.
func TestTheDiskFails(t *testing.T) {
	g := newGround(t)
	ctx := g.Context()
	p := g.place("hub", team{})
	g.strace("") // fails where there is none
	p.wrap = []string{"strace", "-D", "-f", "-q", "-o", "/dev/null", "-e", "trace=fsync", "-e", "signal=none", "-e", "inject=fsync:error=EIO:when=30+"}
	h := g.start(p)
	hub := h.waitUp()
	var mu sync.Mutex
	var accepted []job
	contact := func(hub *client.Client, n int) error {
		j := job{kind: kinds[n%(len(kinds)-1)], id: fmt.Sprint(n)}
		_, err := hub.Contact(ctx, api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key()})
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			accepted = append(accepted, j)
		}
		return err
	}
	const callers = 4 // at once, so that they share commits
	n, refusal := 0, error(nil)
	for ; refusal == nil && n < 10_000; n += callers {
		refusals := make([]error, callers)
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() { refusals[i] = contact(hub, n+i) })
		}
		all.Wait()
		refusal = cmp.Or(refusals...)
	}
	tracer := g.tracer(h)
	if err := syscall.Kill(tracer, syscall.SIGKILL); err != nil { // the disk seems well again
		g.Fatal(err)
	}
	g.eventually("nothing traces the hub any more", func(context.Context) (bool, error) {
		return errors.Is(syscall.Kill(tracer, 0), syscall.ESRCH), nil
	})
	for when, err := range map[string]error{"when it failed": refusal, "afterwards": contact(hub, n+1)} {
		if err == nil || !strings.Contains(err.Error(), "The disk failed") || !strings.Contains(err.Error(), "start it again") {
			g.Errorf("%s: %v", when, err)
		}
	}
	if !h.alive() {
		g.Errorf("the hub ended: %v\n%s", h.how(), h.lastWords())
	}
	h.kill()

	p.wrap = nil
	h = g.start(p)
	hub = h.waitUp()
	if err := contact(hub, n+2); err != nil {
		g.Errorf("after a start: %v", err)
	}
	g.settle(hub)
	h.stop()
	g.checkFile(p, accepted)
	g.Logf("%d contacts were acknowledged before the disk failed", len(accepted)-1)
}

// checkFile compares a database file at rest with the promises.
func (g *ground) checkFile(p *place, accepted []job) {
	g.Helper()
	db, err := openSQLite(p.database())
	if err != nil {
		g.Fatal(err)
	}
	defer db.close()
	r, err := read(db)
	if err != nil {
		g.Fatal(err)
	}
	if problems := atRest(r); len(problems) > 0 {
		g.Errorf("%s", lines(problems))
	}
	there := map[string]bool{}
	for _, m := range r.messages {
		there[m.key] = true
	}
	for _, j := range accepted {
		if !there[j.key()] {
			g.Errorf("the contact %s was acknowledged and is not there", j.key())
		}
	}
}

// A hub that cannot even start says so and ends.
func TestTheDiskIsFullAtTheStart(t *testing.T) {
	onSmallDisks(t, 1, 0, func(g *ground, p *place, small *disk) {
		g.fill(small)
		code, said := g.start(p).failure()
		if code == 0 || !strings.Contains(said, "no space left") && !strings.Contains(said, "disk is full") {
			g.Errorf("the hub ended with code %d and said: %s", code, said)
		}
	})
}

// fill takes all the room of a disk that is a real one.
func (g *ground) fill(d *disk) {
	g.Helper()
	if d.dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(d.dir, "ballast"))
	if err != nil {
		g.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			if !errors.Is(err, syscall.ENOSPC) {
				g.Fatal(err)
			}
			return
		}
	}
}
