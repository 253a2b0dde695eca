package crash

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tieToThread makes the process die with this one, even if this one is
// killed. The caller must start it and wait for it on the same goroutine, and
// then call what is returned.
func tieToThread(cmd *exec.Cmd) func() {
	runtime.LockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return runtime.UnlockOSThread
}
