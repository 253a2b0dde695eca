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

// Lock is the right to run a hub on a data folder. The system takes it back
// when the process ends, however it ends.
type Lock struct {
	dir  string
	file *os.File
}

// Acquire makes the folder if needed, for its owner alone, and takes the lock.
// A folder on which a hub runs is refused with that hub's address.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, writeError(dir, err)
	}
	if err := private(dir); err != nil {
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
	// What a killed hub left would send commands to an address that may be
	// another's by now.
	if err := os.Remove(filepath.Join(dir, hubFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		f.Close()
		return nil, writeError(dir, err)
	}
	return &Lock{dir: dir, file: f}, nil
}

// exclusive takes the lock. Those who only look hold a shared one for a moment
// and must not be taken for a hub: if a shared lock can be had, no hub runs.
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

// private takes the rights of everyone else away.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, info.Mode().Perm()&^0o077)
}

func running(dir string) error {
	what := fmt.Sprintf("A hub runs on %s already", dir)
	if hub, err := read(dir); err == nil {
		what = fmt.Sprintf("%s: %s, process %d", what, hub.URL, hub.Process)
	}
	return parley.Errorf(parley.Conflict, "%s.", what).WithHint("Use that one, stop it, or choose another data folder.")
}

// Release removes the address and gives the lock back. The token stays: it is
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
		return errors.Is(err, os.ErrPermission) // it is there, and another user's
	}
	defer f.Close()
	// A shared lock does not disturb others who look, nor for long a hub that is
	// just starting.
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
