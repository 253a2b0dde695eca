//go:build unix

package hardlink

import (
	"io/fs"
	"syscall"
)

// Shared reports whether a file has more than one name.
func Shared(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && s.Nlink > 1
}
