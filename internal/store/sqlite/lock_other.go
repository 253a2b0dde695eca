//go:build !unix

package sqlite

import "os"

// lock does nothing where there is no flock: there the lock on the hub's data
// folder has to do.
func lock(path string) (*os.File, error) {
	return os.OpenFile(path+"-hub", os.O_RDWR|os.O_CREATE, 0o600)
}
