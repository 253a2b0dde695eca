//go:build unix

package mcpclient

import (
	"os"
	"syscall"
)

// signalGroup ends a process and all that it has started, by force or not. A
// group that is gone is fine.
func signalGroup(p *os.Process, force bool) {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, sig)
}
