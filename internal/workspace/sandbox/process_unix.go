//go:build unix && !linux

package sandbox

import (
	"errors"
	"os/exec"
	"syscall"
)

// command makes the process that runs a command. There is no sandbox on this system.
func (s *Sandbox) command(c Command) (*exec.Cmd, error) {
	if s.Kind != Unsandboxed {
		return nil, errors.New(string(s.Kind) + " is for Linux")
	}
	cmd := exec.Command(shellPath(), "-c", c.Script)
	cmd.Dir = c.Dir
	return cmd, nil
}

func ownGroup(cmd *exec.Cmd, _ Kind) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func end(cmd *exec.Cmd, _ Kind, ended <-chan error) {
	endGroup(cmd)
	<-ended
}

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func (e job) supervise() (int, error) { return 0, errors.New("this is for Linux") }
func (e job) enter() error            { return errors.New("this is for Linux") }
