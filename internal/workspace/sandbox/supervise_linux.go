package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// supervise runs the command. When the command has ended, or the hub asks for it, it
// ends everything that the command left behind. Orphans become children of this
// process, so that nothing escapes into another group or session.
func (e job) supervise() (code int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	args, err := e.args("enter")
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = e.Dir, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		<-asked
		killChildren()
	}()
	code = reapUntil(cmd.Process.Pid)
	for reap() { // each round finds the orphans of the last
	}
	return code, nil
}

// reapUntil waits for children until the given one has ended.
func reapUntil(pid int) (code int) {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return -1
		case got == pid && status.Signaled():
			return 128 + int(status.Signal())
		case got == pid:
			return status.ExitStatus()
		}
	}
}

// reap ends all children and waits for one; false if there is none left.
func reap() bool {
	killChildren()
	_, err := syscall.Wait4(-1, nil, 0, nil)
	return err == nil || errors.Is(err, syscall.EINTR)
}

func killChildren() {
	for _, pid := range children(os.Getpid()) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// children finds the children of a process in /proc.
func children(parent int) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		// The name in parentheses may contain anything; the fields after it may not.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// enter confines this process and then becomes the command.
func (e job) enter() error {
	if e.Confine {
		if err := e.confine(); err != nil {
			return err
		}
	}
	return unix.Exec(e.Command[0], e.Command, os.Environ())
}
