package sqlite

import (
	"errors"
	"os"
	"syscall"

	"parley"
)

// lock makes the file this process's own for as long as it is open. SQLite
// itself would let a second hub in, which would take the first one's running
// work for that of a dead one. The kernel drops the lock with the process, so
// a kill leaves nothing behind.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path+"-hub", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = parley.Errorf(parley.Conflict, "The database %s is in use by another hub.", path).
			WithHint("Stop that one first, or use PostgreSQL to run several on one database.")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
