package workspace

import (
	"io/fs"
	"syscall"
)

// stampOf includes the time of the last change of any kind, which no command can set.
func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), modified: info.ModTime().UnixNano(), mode: info.Mode()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed, s.inode = stat.Ctim.Nano(), stat.Ino
	}
	return s
}
