//go:build !linux

package config

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
)

// lister looks at the files of a folder and reads them, if they are regular ones. Several
// goroutines may use it.
type lister struct{ folder *os.Root }

func newLister(folder *os.Root) (*lister, error) { return &lister{folder}, nil }

// close does nothing: the folder is another's.
func (l *lister) close() {}

// stamp leaves it to os.Root to look at a file.
func (l *lister) stamp(string) (stamp, bool) { return 0, false }

// read reads a file of at most maxFile bytes into a buffer, which may have to grow.
func (l *lister) read(name string, buffer []byte) (data []byte, s stamp, ok bool) {
	f, err := l.folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not keep it waiting
	if err != nil {
		return buffer, 0, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return buffer, 0, false
	}
	s.add(info)
	buffer = slices.Grow(buffer[:0], int(info.Size())+1)
	for {
		n, err := f.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if errors.Is(err, io.EOF) {
			return buffer, s, true
		}
		if err != nil || len(buffer) > maxFile {
			return buffer, 0, false
		}
		buffer = slices.Grow(buffer, 1)
	}
}
