package config

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// unfinished begins the names of new files until they are moved into their places.
const unfinished = ".parley-"

// Sweep removes the new files that a killed hub has left beside parley.yaml or in
// agents/ instead of moving them into their places. Young ones may be another hub's that runs on the same
// files.
func Sweep(dir string) (removed []string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	sweep := func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		if err != nil || !d.Type().IsRegular() || !strings.HasPrefix(base, unfinished) || !strings.HasSuffix(base, ".tmp") {
			return nil
		}
		info, err := d.Info()
		if err == nil && time.Since(info.ModTime()) > time.Minute && root.Remove(name) == nil {
			removed = append(removed, name)
		}
		return nil
	}
	beside, _ := fs.ReadDir(root.FS(), ".")
	for _, d := range beside {
		_ = sweep(d.Name(), d, nil)
	}
	_ = fs.WalkDir(root.FS(), agentsDir, sweep)
	return removed
}
