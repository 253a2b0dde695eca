package sqlite

import (
	"errors"
	"os"
	"syscall"

	"parley"
)

// lock reserves the file for this process as long as it is open. SQLite itself would
// let in a second hub, which would take the running work of the first one for that of
// a dead hub. The kernel releases the lock with the process, so a kill leaves nothing
// behind.
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
