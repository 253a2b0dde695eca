//go:build clients

package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/api"
	"parley/client"
	"parley/internal/cli"
	"parley/internal/workspace/sandbox"
)

// TestMain makes the test program the real one, if it is started as parley.
func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"parley": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// site is a team, a project in which a client works, and the client's own home.
type site struct {
	testing.TB
	team, project, home string
	env                 []string
	process             *exec.Cmd // the hub's
	hub                 *client.Client
}

func newSite(t testing.TB, env ...string) *site {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{TB: t, team: filepath.Join(root, "team"), project: filepath.Join(root, "project"), home: filepath.Join(root, "home")}
	for _, dir := range []string{s.project, s.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(s.team, os.DirFS("testdata/team")); err != nil {
		t.Fatal(err)
	}
	s.env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1"}, env...)
	s.up()
	return s
}

func (s *site) up() {
	s.Helper()
	s.launch("127.0.0.1:0")
	s.Cleanup(func() {
		_ = s.process.Process.Signal(syscall.SIGTERM) // it may have ended already
		if err := s.process.Wait(); err != nil {
			s.Errorf("the hub ended: %v", err)
		}
	})
}

// launch starts a hub of the team at an address.
func (s *site) launch(listen string) {
	s.Helper()
	s.process = exec.Command("parley", "up", "--json", "--listen", listen)
	s.process.Dir, s.process.Env, s.process.Stderr = s.team, s.env, s.Output()
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		s.Fatalf("the hub did not come up: %v", err)
	}
	if s.hub, err = client.Discover(filepath.Join(s.team, ".parley")); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(s.hub.Close)
}

// crash kills the hub, and starts the next one at the same address.
func (s *site) crash(address string) {
	s.Helper()
	if err := s.process.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	_ = s.process.Wait() // it was killed
	s.launch(address)
}

// run runs a command that must succeed and returns what it printed. The limit is for
// a client that hangs; nothing depends on how long one takes.
func (s *site) run(dir, name string, args ...string) string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		s.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &complaints)
	}
	s.Logf("%s %s\n%s%s", name, strings.Join(args, " "), &out, &complaints)
	return out.String()
}

// installed is the program of a client, where make clients has put it.
func installed(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("PARLEY_CLIENTS")
	path := filepath.Join(dir, "node_modules", ".bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not installed: %v. Run make clients.", name, err)
	}
	return path
}

// joinAs joins the agent coder with a client, writes its files and checks them. In the
// form http, the client's environment has the token. It returns what it was told.
func (s *site) joinAs(form, name string) cli.Joined {
	s.Helper()
	args := []string{"--dir", s.team, "--json", "join", "coder", "--client", name, "--folder", s.project}
	if form == "http" {
		args = append(args, "--http")
	}
	var joined cli.Joined
	text := s.run(s.project, "parley", append(args, "--description", "Writes code.", "--write", "--allow")...)
	if err := json.Unmarshal([]byte(text), &joined); err != nil {
		s.Fatal(err)
	}
	if form == "http" {
		token, err := os.ReadFile(joined.TokenFile)
		if err != nil {
			s.Fatal(err)
		}
		s.env = append(s.env, "PARLEY_TOKEN="+strings.TrimSpace(string(token)))
	}
	s.run(s.project, "parley", append(args, "--check")...)
	return joined
}

// delegate gives the agent a task, as a person does.
func (s *site) delegate(message string) api.Task {
	s.Helper()
	var contact api.Contact
	text := s.run(s.project, "parley", "--dir", s.team, "--json", "delegate", "coder", message)
	if err := json.Unmarshal([]byte(text), &contact); err != nil {
		s.Fatal(err)
	}
	return *contact.Task
}
