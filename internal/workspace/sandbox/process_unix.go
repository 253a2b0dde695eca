//go:build unix && !linux

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

const self = ""

// process makes the process that runs a program. There is no sandbox on this system, and
// no supervisor: what leaves the process group stays.
func (c *Config) process(kind Kind, e job) (*Supervised, error) {
	if kind != Unsandboxed {
		return nil, errors.New(string(kind) + " is for Linux")
	}
	cmd := exec.Command(e.Command[0], e.Command[1:]...)
	cmd.Dir = e.Dir
	ownGroup(cmd)
	closeOnExec()
	return &Supervised{Cmd: cmd}, nil
}

// closeOnExec keeps every descriptor but the first three from what is started.
func closeOnExec() {
	entries, _ := os.ReadDir("/dev/fd") // without it we cannot know them
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func askGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func (e job) supervise() (int, error) { return 0, errors.New("this is for Linux") }
func (e job) enter() error            { return errors.New("this is for Linux") }
