package sandbox

import (
	"os/exec"
	"syscall"
	"time"
)

// self is this program, also after its file was replaced.
const self = "/proc/self/exe"

// command makes the process that runs a command. Under bubblewrap a command has
// processes of its own; otherwise one of ours watches over it.
func (s *Sandbox) command(c Command) (*exec.Cmd, error) {
	if s.Kind == Bubblewrap {
		path, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, err
		}
		return exec.Command(path, s.bubblewrap(c)...), nil
	}
	e := errand{Command: []string{shellPath(), "-c", c.Script}, Dir: c.Dir}
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

// ownGroup puts a process into a group of its own that ends with the hub.
func ownGroup(cmd *exec.Cmd, _ Kind) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// end ends a command before its time. bubblewrap takes everything with it when
// it is killed; our own process has to be asked first, since what left its group
// is known to nobody else.
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
