package config

import (
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
	beside, _ := namesIn(root, ".")
	removed = sweep(root, beside, "")
	return append(removed, sweepFolder(root, agentsDir)...)
}

func sweepFolder(root *os.Root, dir string) []string {
	names, err := namesIn(root, dir)
	if err != nil {
		return nil
	}
	removed := sweep(root, names, dir)
	for _, name := range names {
		if isMarkdown(name) {
			continue // nearly all; nobody looks at each
		}
		below := path.Join(dir, name)
		if info, err := root.Lstat(below); err == nil && info.IsDir() {
			removed = append(removed, sweepFolder(root, below)...)
		}
	}
	return removed
}

// sweep removes the unfinished among the names in a folder.
func sweep(root *os.Root, names []string, dir string) (removed []string) {
	for _, name := range names {
		if !strings.HasPrefix(name, unfinished) || !strings.HasSuffix(name, ".tmp") {
			continue
		}
		file := path.Join(dir, name)
		info, err := root.Lstat(file)
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Minute && root.Remove(file) == nil {
			removed = append(removed, file)
		}
	}
	return removed
}
