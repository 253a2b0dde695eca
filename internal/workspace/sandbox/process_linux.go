package sandbox

import (
	"os/exec"
	"syscall"
)

// self is this program, even after its file was replaced.
const self = "/proc/self/exe"

// process makes the process that runs a program in the sandbox, under the supervision of
// one of ours.
func (c *Config) process(kind Kind, e job) (*Supervised, error) {
	switch kind {
	case Bubblewrap:
		path, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, err
		}
		e.Command = append(append([]string{path}, c.bubblewrap(e.Dir)...), e.Command...)
		e.Dir, e.Wrappers = "", bubblewrapProcesses
	case Landlock:
		if err := landlockWorks(); err != nil {
			return nil, err
		}
		e.Confine, e.Network = true, c.Network
		c.grants(&e)
	}
	return e.supervised()
}

// bubblewrapProcesses is how many processes bubblewrap has itself: one outside that
// waits, and the first one inside.
const bubblewrapProcesses = 2

// ownGroup puts a process into its own group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func askGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
