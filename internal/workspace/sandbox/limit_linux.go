package sandbox

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// apply limits this process, and with it what it starts.
func (l Limits) apply() error {
	for _, limit := range []struct {
		name  string
		what  int
		value int64
	}{{"memory", unix.RLIMIT_DATA, l.Memory}, {"file size", unix.RLIMIT_FSIZE, l.FileSize}, {"open files", unix.RLIMIT_NOFILE, int64(l.OpenFiles)}} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(limit.what, &now); err != nil {
			return err
		}
		if value := uint64(limit.value); limit.value > 0 && value < now.Max {
			if err := syscall.Setrlimit(limit.what, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
				return fmt.Errorf("the limit of %s: %w", limit.name, err)
			}
		}
	}
	// A core file would lie in the workspace, and holds what the memory held.
	return syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{})
}
