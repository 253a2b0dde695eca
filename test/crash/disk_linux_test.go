package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/api"
)

// disk is a small one for the data folder of a hub.
type disk struct {
	g    *ground
	dir  string
	free func(h *hub) // makes room
}

// smallDisk gives a place a disk of a few megabytes. Where we may mount, that
// is a file system of this size; elsewhere strace answers the hub's writes with
// "no space left on device" from the nth on, until there is room.
func (g *ground) smallDisk(p *place, megabytes, nth int) *disk {
	g.Helper()
	dir := filepath.Dir(p.data)
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0755", megabytes))
	if err == nil {
		g.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				g.Error(err)
			}
		})
		return &disk{g: g, dir: dir, free: func(*hub) {
			if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=256m,mode=0755"); err != nil {
				g.Fatal(err)
			}
		}}
	}
	g.Logf("strace stands in for a small file system, which cannot be mounted: %v", err)
	g.strace("")
	p.wrap = []string{"strace", "-f", "-q", "-o", "/dev/null", "-e", "trace=pwrite64,write", "-e", "signal=none",
		"-e", fmt.Sprintf("inject=pwrite64:error=ENOSPC:when=%d+", nth)}
	return &disk{g: g, dir: dir, free: func(h *hub) {
		// Told to end, strace lets the hub go and leaves it running.
		if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			g.Fatal(err)
		}
	}}
}

// The disk fills up under load. Contacts are refused with the reason, the hub
// stays, and what was accepted is done when there is room again.
func TestTheDiskIsFull(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	p.data = g.path("small/data")
	if err := os.Mkdir(filepath.Dir(p.data), 0o755); err != nil {
		t.Fatal(err)
	}
	small := g.smallDisk(p, 3, 800)
	h := g.start(p)
	hub := h.waitUp()

	var accepted []job
	tasks := map[string]job{}
	var refusal error
	for i := 0; refusal == nil; i++ {
		if i > 10_000 {
			t.Fatal("the disk does not fill up")
		}
		j := job{kind: kinds[i%(len(kinds)-1)], id: fmt.Sprint(i)} // all but the one that is cancelled
		made, err := hub.Contact(t.Context(), api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key(),
			Context: strings.Repeat("Much to read. ", 200)})
		if refusal = err; err == nil {
			accepted = append(accepted, j)
			if made.Task != nil {
				tasks[made.Task.ID] = j
			}
		}
	}
	if !strings.Contains(refusal.Error(), "disk is full") {
		t.Errorf("the refusal does not say that the disk is full: %v", refusal)
	}
	if _, err := hub.Hub(t.Context()); err != nil || !h.alive() {
		t.Fatalf("the hub does not go on: %v, %v\n%s", err, h.how(), h.lastWords())
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
	for id, j := range tasks {
		ended, err := hub.WaitTask(t.Context(), id, patience)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := j.checkResult(ended.State, ended.Result, ended.Error); wrong != "" || spent(ended.Error) {
			t.Errorf("%s (%s) %s %s", id, j.text(), wrong, ended.Error)
		}
	}
	g.settle(hub)
	g.endProcess(p, h)
	g.checkFile(p, accepted)
	t.Logf("%d contacts were accepted before the disk was full", len(accepted))
}

// endProcess stops the hub by its own process: with strace before it, that is
// not the one that was started.
func (g *ground) endProcess(p *place, h *hub) {
	g.Helper()
	if p.wrap == nil {
		h.stop()
		return
	}
	process := g.hubFile(p).Process
	if err := syscall.Kill(process, syscall.SIGTERM); err != nil {
		g.Fatal(err)
	}
	g.eventually("the hub ends", func(context.Context) (bool, error) {
		return errors.Is(syscall.Kill(process, 0), syscall.ESRCH), nil
	})
}

// checkFile holds a database file at rest against the promises.
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

// A hub that cannot even begin says so and ends.
func TestTheDiskIsFullAtTheStart(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	p.data = g.path("small/data")
	if err := os.Mkdir(filepath.Dir(p.data), 0o755); err != nil {
		t.Fatal(err)
	}
	small := g.smallDisk(p, 1, 1)
	g.fill(small.dir, p)
	h := g.start(p)
	code, said := h.failure()
	if code == 0 || !strings.Contains(said, "no space left") && !strings.Contains(said, "disk is full") {
		t.Errorf("the hub ended with code %d and said: %s", code, said)
	}
}

// fill takes all the room of a disk that is a real one.
func (g *ground) fill(dir string, p *place) {
	g.Helper()
	if p.wrap != nil {
		return
	}
	f, err := os.Create(filepath.Join(dir, "ballast"))
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
