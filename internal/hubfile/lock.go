package hubfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"parley"
)

// Lock is the right to run a hub on a data folder. The system releases it when the
// process ends, however it ends.
type Lock struct {
	dir  string
	file *os.File
}

// Acquire makes the folder if needed, accessible only to its owner, and takes the
// lock. If a hub runs on the folder, the error names its address.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, writeError(dir, err)
	}
	if err := private(dir); err != nil {
		return nil, writeError(dir, err)
	}
	if err := ignoreAll(dir); err != nil {
		return nil, writeError(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, writeError(dir, err)
	}
	if err := exclusive(f); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, running(dir)
		}
		return nil, writeError(dir, err)
	}
	// A killed hub may have left its address. Another program may use it now.
	if err := os.Remove(filepath.Join(dir, hubFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		f.Close()
		return nil, writeError(dir, err)
	}
	return &Lock{dir: dir, file: f}, nil
}

// exclusive takes the lock. Held takes a shared lock for a moment, which must not
// be mistaken for a hub: if a shared lock is possible, no hub runs.
func exclusive(f *os.File) error {
	for {
		err := flock(f, syscall.LOCK_EX)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if err := flock(f, syscall.LOCK_SH); err != nil {
			return err
		}
		if err := flock(f, syscall.LOCK_UN); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// private removes everyone else's access.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, info.Mode().Perm()&^0o077)
}

// ignoreAll keeps the folder out of git, where it would be copied with its token and
// everything that was said. A file that is there stays as it is.
func ignoreAll(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, ignoreFile)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return replace(dir, ignoreFile, []byte("*\n"))
}

func running(dir string) error {
	what := fmt.Sprintf("A hub already runs on %s", dir)
	if hub, err := read(dir); err == nil {
		what = fmt.Sprintf("%s: %s, process %d", what, hub.URL, hub.Process)
	}
	return parley.Errorf(parley.Conflict, "%s.", what).WithHint("Use that one, stop it, or choose another data folder.")
}

// Release removes the address and releases the lock. The token stays, since it is
// valid at the next hub on this folder.
func (l *Lock) Release() error {
	err := os.Remove(filepath.Join(l.dir, hubFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Close())
}

// Held reports whether a hub runs on the folder.
func Held(dir string) bool {
	f, err := os.Open(filepath.Join(dir, lockFile))
	if err != nil {
		return errors.Is(err, os.ErrPermission) // it exists and belongs to another user
	}
	defer f.Close()
	// A shared lock does not disturb other callers of Held, and a starting hub only
	// for a moment.
	return errors.Is(flock(f, syscall.LOCK_SH), syscall.EWOULDBLOCK)
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
