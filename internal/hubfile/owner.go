package hubfile

import (
	"os"
	"path/filepath"
	"syscall"

	"parley"
)

// CheckOwner refuses a data folder whose hub was started by another user. Anybody can
// have a folder that points to a hub of theirs, and what is sent there they read.
func CheckOwner(dir string) error {
	if at, ok := Pointed(dir); ok {
		dir = at.Hub
	}
	for _, name := range []string{hubFile, lockFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return errNotYours(dir, err)
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(stat.Uid) != os.Getuid() {
			return parley.Errorf(parley.Denied, "The hub of %s was started by another user.", dir).
				WithHint("If you want to use it, name its address with PARLEY_URL or --url.")
		}
	}
	return nil
}
