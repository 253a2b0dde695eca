package mcpclient

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tie puts the process into a group of its own and makes it die with the hub,
// even if the hub is killed. The system ties it to the thread, so the caller
// stays on it until the process has ended, and then calls what is returned.
func tie(cmd *exec.Cmd) func() {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
