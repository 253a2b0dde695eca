//go:build linux || darwin || freebsd

package cli

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// freeSpace is how many bytes the user may still write.
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	return uint64(max(0, int64(s.Bavail))) * uint64(s.Bsize), nil
}
