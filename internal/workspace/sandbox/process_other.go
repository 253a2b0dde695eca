//go:build !unix

package sandbox

import (
	"errors"
	"os/exec"
)

var errUnix = errors.New("commands can be run on Unix only")

func (s *Sandbox) command(Command) (*exec.Cmd, error) { return nil, errUnix }

func ownGroup(*exec.Cmd, Kind) {}

func end(cmd *exec.Cmd, _ Kind, ended <-chan error) {
	endGroup(cmd)
	<-ended
}

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func (e job) supervise() (int, error) { return 0, errUnix }
func (e job) enter() error            { return errUnix }
