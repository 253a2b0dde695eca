package mcpclient_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A killed hub leaves no server behind, not even one that ignores the end of its
// input.
func TestAServerDiesWithItsHub(t *testing.T) {
	hub := exec.Command(os.Args[0])
	hub.Env = append(os.Environ(), "TEST_SERVER=hub")
	out, err := hub.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || pid == 0 {
		t.Errorf("the server is %d, %v", pid, err)
	}
	if err := hub.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = hub.Wait() // it was killed
	eventually(t, "the server is gone", func() bool { return gone(pid) })
}

// A file that whoever started the hub had open is not open in a server.
func TestAServerInheritsNoDescriptor(t *testing.T) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	fd, err := syscall.Dup(int(f.Fd())) // which a child inherits
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	r := start(t, self("usual"), quiet())
	if got := r.must("read", fmt.Sprintf("/proc/self/fd/%d", fd)); strings.Contains(got, "Threads:") {
		t.Errorf("the server reads %q", got)
	}
}
