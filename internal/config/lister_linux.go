package config

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// lister looks at the files of a folder and reads them. A team may have a hundred thousand,
// so it takes the shortest way and leaves nothing behind for the collector. It follows no
// link, and knows only regular files without special rights; the rest is left to os.Root.
// Several goroutines may use it.
type lister struct {
	dir *os.File
	fd  int
}

func newLister(folder *os.Root) (*lister, error) {
	dir, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	return &lister{dir, int(dir.Fd())}, nil
}

func (l *lister) close() { _ = l.dir.Close() }

// stamp is what a file looks like from outside.
func (l *lister) stamp(name string) (stamp, bool) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(l.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return 0, false
	}
	return plainStamp(&st)
}

func plainStamp(st *unix.Stat_t) (s stamp, ok bool) {
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&(unix.S_ISUID|unix.S_ISGID|unix.S_ISVTX) != 0 {
		return 0, false
	}
	s.file(st.Size, st.Mtim.Nano(), os.FileMode(st.Mode&0o777))
	return s, true
}

// read reads a file of at most maxFile bytes into a buffer, which may have to grow.
func (l *lister) read(name string, buffer []byte) (data []byte, s stamp, ok bool) {
	var fd int
	err := again(func() (err error) {
		// A pipe must not keep it waiting.
		fd, err = unix.Openat(l.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return buffer, 0, false
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Size > maxFile {
		return buffer, 0, false
	}
	if s, ok = plainStamp(&st); !ok {
		return buffer, 0, false
	}
	buffer = slices.Grow(buffer[:0], int(st.Size)+1)
	for {
		n, room := 0, cap(buffer)-len(buffer)
		err := again(func() (err error) {
			n, err = unix.Read(fd, buffer[len(buffer):cap(buffer)])
			return err
		})
		if err != nil || len(buffer)+n > maxFile {
			return buffer, 0, false
		}
		buffer = buffer[:len(buffer)+n]
		if n < room { // a regular file gives all that it has
			return buffer, s, true
		}
		buffer = slices.Grow(buffer, 1)
	}
}

// again does what a signal has interrupted once more.
func again(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
