package mcpclient

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tie puts the process into its own group and makes it die with the hub, even if the
// hub is killed. Linux ties the process to the thread that started it. So the caller
// must stay on its thread until the process has ended, and then call the returned
// function.
func tie(cmd *exec.Cmd) func() {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
