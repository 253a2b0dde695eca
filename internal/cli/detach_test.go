package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/hubfile"
)

// Two starts at once: the second one finds the folder taken by a hub that is not up yet.
// It waits for that one and says where it is, instead of failing.
func TestAStartThatIsOvertaken(t *testing.T) {
	team := t.TempDir()
	if err := os.CopyFS(team, os.DirFS("testdata/team")); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(team, ".parley")
	first, err := hubfile.Acquire(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := first.Release(); err != nil {
			t.Error(err)
		}
	})
	second := exec.Command("parley", "up", "-d", team)
	second.Env = append(os.Environ(), "PARLEY_DIR=", "PARLEY_URL=", "PARLEY_TEAM=", "GORACE=atexit_sleep_ms=0")
	var said bytes.Buffer
	second.Stdout, second.Stderr = &said, &said
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	w := &watching{T: t}
	w.eventually("a hub that was refused", func() bool {
		log, _ := os.ReadFile(filepath.Join(data, hubLog)) // not there yet
		return strings.Contains(string(log), "A hub already runs on ")
	})
	if err := first.Publish(hubfile.Hub{URL: "http://127.0.0.1:1", Token: "secret", Team: "trial", Process: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if want := "The hub of trial is already up at http://127.0.0.1:1, as process "; !strings.HasPrefix(said.String(), want) {
		t.Errorf("it said %q, want %q", said.String(), want)
	}
}
