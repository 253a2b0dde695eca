package sandbox

import (
	"os/exec"
	"syscall"
	"time"
)

// self is this program, even after its file was replaced.
const self = "/proc/self/exe"

// command makes the process that runs a command. Bubblewrap gives a command its own
// process space; otherwise one of our processes supervises it.
func (s *Sandbox) command(c Command) (*exec.Cmd, error) {
	if s.Kind == Bubblewrap {
		path, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, err
		}
		return exec.Command(path, s.bubblewrap(c)...), nil
	}
	e := job{Command: []string{shellPath(), "-c", c.Script}, Dir: c.Dir}
	if s.Kind == Landlock {
		if err := landlockWorks(); err != nil {
			return nil, err
		}
		e.Confine, e.Network = true, s.Network
		s.grants(&e)
	}
	args, err := e.args("supervise")
	return exec.Command(self, args...), err
}

// ownGroup puts a process into its own group, which ends with the hub.
func ownGroup(cmd *exec.Cmd, _ Kind) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// end ends a command early. Killing bubblewrap ends everything within it. Our own
// supervisor must be asked to end first: only it knows the processes that left its
// group.
func end(cmd *exec.Cmd, kind Kind, ended <-chan error) {
	if kind == Bubblewrap {
		endGroup(cmd)
		<-ended
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(drain):
		endGroup(cmd)
		<-ended
	}
}

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
