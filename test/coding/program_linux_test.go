package coding

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/client"
)

// site is a repository with a team in it.
type site struct {
	testing.TB
	dir string
	env []string // of every process
}

// newSite copies the repository and has parley write the team into it.
func newSite(t testing.TB) *site {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/repository")); err != nil {
		t.Fatal(err)
	}
	s := &site{TB: t, dir: dir, env: append(os.Environ(), "PARLEY_DATA=", "LANG=C.UTF-8")}
	s.run("parley", "init", "--template", "coding")
	return s
}

// run runs a command in the repository that must succeed, and returns what it
// printed.
func (s *site) run(name string, args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), name, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		s.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &complaints)
	}
	return out.String()
}

// up starts the hub as a process of its own, which ends with the test.
func (s *site) up() *client.Client {
	s.Helper()
	cmd := exec.Command("parley", "up", "--listen", "127.0.0.1:0", "--json")
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, s.env, s.Output()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		if err := cmd.Wait(); err != nil {
			s.Errorf("the hub ended: %v", err)
		}
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		s.Fatalf("the hub did not come up: %v", err)
	}
	hub, err := client.Discover(filepath.Join(s.dir, ".parley"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(hub.Close)
	return hub
}

// replace changes a text that must be in a file.
func (s *site) replace(name, from, to string) {
	s.Helper()
	text := s.read(name)
	if !strings.Contains(text, from) {
		s.Fatalf("%s does not contain %q", name, from)
	}
	s.write(name, strings.Replace(text, from, to, 1))
}

func (s *site) read(name string) string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

func (s *site) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}
