//go:build unix && !linux

package mcpclient

import (
	"os/exec"
	"syscall"
)

// tie puts the process into its own group. If the hub is killed, only the end of its
// input tells the process.
func tie(cmd *exec.Cmd) func() {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return func() {}
}
