package sandbox

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// leashDescriptor is the end of the leash that a supervisor has. The hub has the other
// end and never writes to it; the system closes it when the hub ends, however it ends.
const leashDescriptor = 3

// supervise runs a command or a server. When that has ended, or the hub is gone or
// has let go of the leash, it ends everything that was left behind. Orphans become
// children of this process, so that nothing escapes into another group or session. Nor
// does a sandbox stay that was still being made when the hub was killed.
func (e job) supervise() (code int, err error) {
	runtime.LockOSThread() // what is started ends with the thread that started it
	leash := os.NewFile(leashDescriptor, "leash")
	if err := closeOnExec(); err != nil {
		return 0, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	cmd, err := e.start()
	if err != nil {
		return 0, err
	}
	go func() {
		_, _ = io.Copy(io.Discard, leash) // until the hub has let go
		killChildren()
	}()
	go func() {
		for range asked {
			e.askToEnd()
		}
	}()
	code = reapUntil(cmd.Process.Pid)
	for reap() { // each round finds the orphans of the last
	}
	return code, nil
}

// closeOnExec keeps every descriptor but the first three from what is started. The hub
// opens none that are inherited, but whoever started the hub may have left some.
func closeOnExec() error {
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err == nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd") // the kernel is older than 5.11
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return err
}

// start starts the command, through another process of ours if it needs to confine
// itself first.
func (e job) start() (*exec.Cmd, error) {
	path, args := e.Command[0], e.Command[1:]
	if e.Confine {
		var err error
		path = self
		if args, err = e.args("enter"); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = e.Dir, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if e.Group != "" {
		fd, err := unix.Open(e.Group, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, fd
		e.Limits.Memory = 0 // the group bounds it
	}
	if err := e.Limits.apply(); err != nil {
		return nil, err
	}
	if e.Input {
		cmd.Stdin = os.Stdin
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if e.Input { // only the server has them now, and its end is theirs
		return cmd, errors.Join(os.Stdin.Close(), os.Stdout.Close())
	}
	return cmd, nil
}

// askToEnd ends a command. A server is only asked: it gets the signal, and the hub
// lets go of the leash if that does not help.
func (e job) askToEnd() {
	if !e.Input {
		killChildren()
		return
	}
	for depth, pids := range generations(os.Getpid()) {
		if depth < e.Wrappers { // bubblewrap would take what is in it along at once
			continue
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// generations are the children of a process, then their children, and so on.
func generations(pid int) (list [][]int) {
	for pids := children(pid); len(pids) > 0; {
		list = append(list, pids)
		var next []int
		for _, p := range pids {
			next = append(next, children(p)...)
		}
		pids = next
	}
	return list
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
	if err := closeOnExec(); err != nil {
		return err
	}
	if err := e.confine(); err != nil {
		return err
	}
	return unix.Exec(e.Command[0], e.Command, os.Environ())
}
