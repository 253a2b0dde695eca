//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processTime is the time that this process has spent on processors. Unlike
// the time on the wall it does not grow while others have the machine.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
