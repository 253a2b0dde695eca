//go:build unix

package mcpclient

import (
	"os"
	"syscall"
)

// signalGroup ends a process and everything that it has started, by force or not. It
// does not matter if they are already gone.
func signalGroup(p *os.Process, force bool) {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, sig)
}
