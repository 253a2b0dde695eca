package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/client"
	"parley/internal/hubfile"
)

// program is the real binary, built once before the tests.
var program string

// patience limits every wait for something that must happen. It is long, so that a
// busy machine does not matter; only a failing test waits that long.
const patience = 2 * time.Minute

// ground is the working area of one test: its folders, and the hubs that it runs.
// They are kept if the test fails.
type ground struct {
	testing.TB
	dir string // reachable by every user
}

func newGround(t testing.TB) *ground {
	t.Helper()
	dir, err := os.MkdirTemp("", "parley-crash-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the database and the hub's messages are kept in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return &ground{TB: t, dir: dir}
}

// path is a place in the ground's folder.
func (g *ground) path(name string) string { return filepath.Join(g.dir, name) }

// place is where a hub runs: a team's folder and a data folder.
type place struct {
	team, data string
	log        string
	// wrap puts a command before the hub's own, strace for instance, and program
	// replaces that one.
	wrap, program []string
	environment   []string // besides this process's own
	// change changes the command before it is started.
	change func(*exec.Cmd)
}

// place writes a team's folder for hubs that run one after the other.
func (g *ground) place(name string, m team) *place {
	g.Helper()
	p := &place{team: g.path(name + "-team"), data: g.path(name + "-data"), log: g.path(name + ".log")}
	m.write(g, p.team)
	return p
}

func (p *place) database() string { return filepath.Join(p.data, "parley.db") }

// hub is a process under test.
type hub struct {
	g     *ground
	place *place
	cmd   *exec.Cmd
	up    chan struct{} // closed when it says that it is up
	ended chan struct{} // closed when the process is gone

	mu   sync.Mutex
	said []byte // when it was up
	err  error  // how it ended
}

// start starts a hub and does not wait for it.
func (g *ground) start(p *place) *hub {
	g.Helper()
	args := slices.Concat(p.wrap, p.program)
	if p.program == nil {
		args = append(args, program, "up", p.team, "--data", p.data, "--listen", "127.0.0.1:0", "--json")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = g.dir
	cmd.Env = append(append(os.Environ(), "TMPDIR="+g.dir), p.environment...)
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		g.Fatal(err)
	}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		g.Fatal(err)
	}
	if p.change != nil {
		p.change(cmd)
	}
	h := &hub{g: g, place: p, cmd: cmd, up: make(chan struct{}), ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		defer log.Close()
		h.run(started, bufio.NewReader(out))
	}()
	if err := <-started; err != nil {
		g.Fatal(err)
	}
	g.Cleanup(h.kill)
	return h
}

// run runs the process to its end. It stays on one thread, because the signal that
// ends the hub when this process dies is tied to the thread that started it.
func (h *hub) run(started chan<- error, out *bufio.Reader) {
	defer tieToThread(h.cmd)()
	if err := h.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	if line, err := out.ReadBytes('\n'); err == nil && json.Valid(line) {
		h.mu.Lock()
		h.said = line
		h.mu.Unlock()
		close(h.up)
	}
	_, _ = io.Copy(io.Discard, out) // until it ends
	err := h.cmd.Wait()
	h.mu.Lock()
	h.err = err
	h.mu.Unlock()
	close(h.ended)
}

// waitUp waits until the hub serves and returns a client of it.
func (h *hub) waitUp() *client.Client {
	h.g.Helper()
	h.firstLine()
	found := h.g.hubFile(h.place)
	c := client.New(found.URL, found.Token)
	c.Patience = 0 // the load repeats what it gets no answer to, and counts that
	return c
}

// hubFile is what the running hub has written into its data folder.
func (g *ground) hubFile(p *place) hubfile.Hub {
	g.Helper()
	found, err := hubfile.Find(p.data)
	if err != nil {
		g.Fatal(err)
	}
	return found
}

// firstLine waits for what the hub says when it is up.
func (h *hub) firstLine() []byte {
	h.g.Helper()
	select {
	case <-h.up:
	case <-h.ended:
		h.g.Fatalf("the hub ended instead of coming up: %v\n%s", h.how(), h.lastWords())
	case <-time.After(patience):
		h.g.Fatalf("the hub did not come up\n%s", h.lastWords())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said
}

// kill ends the hub with SIGKILL: none of its code runs any more.
func (h *hub) kill() {
	_ = h.cmd.Process.Kill() // it may be gone already
	<-h.ended
}

// signal sends a signal.
func (h *hub) signal(s syscall.Signal) {
	h.g.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		h.g.Fatalf("the hub cannot be told to stop: %v", err)
	}
}

// wait waits for the process to end by itself and returns its exit code.
func (h *hub) wait() int {
	h.g.Helper()
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.g.Fatalf("the hub does not end\n%s", h.lastWords())
	}
	return h.cmd.ProcessState.ExitCode()
}

// stop ends the hub in order.
func (h *hub) stop() {
	h.g.Helper()
	h.signal(syscall.SIGTERM)
	if code := h.wait(); code != 0 {
		h.g.Errorf("the hub ended with code %d after SIGTERM\n%s", code, h.lastWords())
	}
}

// failure waits for a hub that must not come up, and returns its exit code and
// what it said.
func (h *hub) failure() (code int, said string) {
	h.g.Helper()
	select {
	case <-h.ended:
	case <-h.up:
		h.g.Fatal("the hub came up")
	case <-time.After(patience):
		h.g.Fatalf("the hub neither came up nor ended\n%s", h.lastWords())
	}
	return h.cmd.ProcessState.ExitCode(), h.lastWords()
}

// alive reports whether the process still runs.
func (h *hub) alive() bool {
	select {
	case <-h.ended:
		return false
	default:
		return true
	}
}

func (h *hub) how() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// lastWords is the end of what the hubs at this place wrote.
func (h *hub) lastWords() string {
	text, err := os.ReadFile(h.place.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// eventually looks until the condition holds.
func (g *ground) eventually(what string, holds func(context.Context) (bool, error)) {
	g.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		ok, err := holds(ctx)
		if ok {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			g.Fatalf("%s: not within %v (%v)", what, patience, err)
		}
	}
}
