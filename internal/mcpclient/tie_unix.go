//go:build unix && !linux

package mcpclient

import (
	"os/exec"
	"syscall"
)

// tie puts the process into a group of its own. If the hub is killed, the end of
// its input is all that tells it.
func tie(cmd *exec.Cmd) func() {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return func() {}
}
