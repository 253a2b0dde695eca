package mcpclient_test

import (
	"fmt"
	"os"
	"os/exec"
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
