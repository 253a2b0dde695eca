package programs

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/client"
)

// root is the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// need fails if a program that the test runs is not installed.
func need(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("This test runs %s, which is not installed. make setup installs it.", name)
		}
	}
}

// program is an agent program that runs.
type program struct {
	h     *hub
	cmd   *exec.Cmd
	said  *journal
	ended chan error
}

// run starts a program with the address of the hub and a token in its environment.
func (h *hub) run(token string, environment []string, command ...string) *program {
	h.t.Helper()
	p := &program{h: h, cmd: exec.Command(command[0], command[1:]...), said: &journal{}, ended: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), client.EnvURL+"="+h.person.Address(), client.EnvToken+"="+token, "PYTHONDONTWRITEBYTECODE=1"), environment...)
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what it started ends with it
	p.cmd.WaitDelay = time.Second
	h.must(p.cmd.Start())
	go func() { p.ended <- p.cmd.Wait() }()
	h.t.Cleanup(func() {
		p.kill()
		if h.t.Failed() {
			h.t.Logf("%s said:\n%s", filepath.Base(command[0]), p.said)
		}
	})
	return p
}

// kill ends the program with SIGKILL; it may be called twice.
func (p *program) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may be gone already
	err := <-p.ended
	p.ended <- err
}

// end waits until the program has ended by itself, and returns its exit code.
func (p *program) end() int {
	p.h.t.Helper()
	select {
	case err := <-p.ended:
		p.ended <- err
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			p.h.t.Fatal(err)
		}
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.h.t.Fatalf("the program does not end; it said:\n%s", p.said)
		return 0
	}
}

// terminate asks the program to stop, and expects that it does so in order.
func (p *program) terminate() {
	p.h.t.Helper()
	p.h.must(p.cmd.Process.Signal(syscall.SIGTERM))
	if code := p.end(); code != 0 {
		p.h.t.Errorf("the program ended with code %d; it said:\n%s", code, p.said)
	}
}

// gate is where the work of agent programs waits until the test lets it go on.
type gate struct {
	*httptest.Server
	arrived chan string // tasks
	pass    chan struct{}
}

func newGate(t *testing.T) *gate {
	g := &gate{arrived: make(chan string, 1000), pass: make(chan struct{})}
	g.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		g.arrived <- strings.TrimPrefix(r.URL.Path, "/")
		select {
		case <-g.pass:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

// next waits until a task has come to the gate.
func (g *gate) next(h *hub) string {
	h.t.Helper()
	select {
	case task := <-g.arrived:
		return task
	case <-time.After(patience):
		h.t.Fatal("no work came to the gate")
		return ""
	}
}

// gated are the agent programs whose work waits at a gate.
var gated = []struct {
	name    string
	command func(t *testing.T) []string
}{
	{"go", func(t *testing.T) []string {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		return []string{self}
	}},
	{"python", func(t *testing.T) []string {
		need(t, "python3")
		return []string{"python3", filepath.Join(root(t), "test/programs/testdata/gated.py")}
	}},
}

func (h *hub) runGated(token string, g *gate, command []string) *program {
	h.t.Helper()
	return h.run(token, []string{gateEnv + "=" + g.URL, "PARLEY_TEST_PYTHON=" + filepath.Join(root(h.t), "clients/python")}, command...)
}
