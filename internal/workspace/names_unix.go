//go:build unix

package workspace

import (
	"io/fs"
	"syscall"
)

// linkCount is how many names a file has.
func linkCount(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
