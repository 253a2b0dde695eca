package pgtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ownerEnv makes the test binary start a server and wait to be killed.
const ownerEnv = "PGTEST_OWN_A_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(ownerEnv) != "" {
		ownServer()
	}
	os.Exit(m.Run())
}

func TestServerKeepsItsDataOverKillAndStop(t *testing.T) {
	dir := reachableDir(t)
	start := func() *Server {
		s, err := Start(dir, Options{Durable: true, MaxConnections: 20, Settings: map[string]string{"work_mem": "5MB"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Kill() })
		return s
	}

	s := start()
	dsn := s.DSN("postgres")
	for setting, want := range map[string]string{"fsync": "on", "max_connections": "20", "work_mem": "5MB"} {
		if got := query(t, dsn, "SHOW "+setting); got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	query(t, dsn, "CREATE TABLE note (text text); INSERT INTO note VALUES ('kept')")
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	s = start()
	if got := query(t, dsn, "SELECT text FROM note"); got != "kept" {
		t.Errorf("after a kill: %q", got)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("the second stop: %v", err)
	}
	start()
	if got := query(t, dsn, "SELECT text FROM note"); got != "kept" {
		t.Errorf("after a stop: %q", got)
	}
}

func TestTemporaryServerLeavesNothing(t *testing.T) {
	s, err := Start("", Options{})
	if err != nil {
		t.Fatal(err)
	}
	dsn, err := s.NewDatabase()
	if err != nil {
		t.Error(err)
	} else if got := query(t, dsn, "SHOW fsync"); got != "off" {
		t.Errorf("fsync is %s by default", got)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", s.dir, err)
	}
}

// A test binary may be killed at any moment, by a time-out or by a person.
func TestServerEndsWithItsKilledOwner(t *testing.T) {
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerEnv+"=1")
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the owner did not start its server: %v", err)
	}
	dir := strings.TrimSpace(line)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := owner.Wait(); err == nil {
		t.Fatal("the owner ended by itself")
	}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			break // the watcher removes it after the server has ended
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("%s is still there: the server was not stopped", dir)
		}
	}
}

// ownServer never returns.
func ownServer() {
	s, err := Start("", Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	for range time.Tick(time.Hour) {
		fmt.Println(s.dir)
	}
}

func TestStartRefuses(t *testing.T) {
	occupied := reachableDir(t)
	if err := os.WriteFile(filepath.Join(occupied, "diary"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir string
		settings  map[string]string
		want      string
	}{
		{"a folder with other things in it", occupied, nil, "holds no PostgreSQL server"},
		{"a path too long for a socket", filepath.Join(os.TempDir(), strings.Repeat("x", 120)), nil, "too long"},
		{"a setting that the server refuses", "", map[string]string{"work_mem": "much"}, "work_mem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Start(c.dir, Options{Settings: c.settings})
			if err == nil {
				t.Fatalf("it started; stopping: %v", s.Stop())
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error does not say %q: %v", c.want, err)
			}
		})
	}
}

// reachableDir is a temporary folder that the server's account can reach. The folders
// of t.TempDir are closed to others.
func reachableDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "parley-pgtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
