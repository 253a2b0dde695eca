package hubfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Holds reports whether a process of this machine may be the hub of a data folder. A hub in
// a container writes the number that it has there, which here may be any program's: where
// the system tells what a process has open, it must be the lock.
func Holds(dir string, process int) bool {
	if process <= 1 {
		return false
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return true // this system does not tell
	}
	lock, err := os.Stat(filepath.Join(dir, lockFile))
	if err != nil {
		return false
	}
	open := fmt.Sprintf("/proc/%d/fd", process)
	list, err := os.ReadDir(open)
	if err != nil {
		return false
	}
	for _, fd := range list {
		if info, err := os.Stat(filepath.Join(open, fd.Name())); err == nil && os.SameFile(info, lock) {
			return true
		}
	}
	return false
}
