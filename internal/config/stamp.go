package config

import (
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Stamp tells one state of a team's files from another without reading them, by
// names, sizes and times. If two stamps taken some time apart are equal, nobody
// is writing at the moment. Files that are read on demand, such as docs, do not
// count, except for the page that describes an agent.
func Stamp(dir string) (uint64, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	sum := fnv.New64a()
	note(sum, root, TeamFile)
	entries, err := fs.ReadDir(root.FS(), agentsDir)
	if err != nil {
		note(sum, root, agentsDir) // it may be gone, or come back
	}
	for _, e := range entries {
		name := path.Join(agentsDir, e.Name())
		note(sum, root, name)
		if e.Type().IsRegular() {
			continue
		}
		for _, below := range filesOf(root, name) {
			note(sum, root, below)
		}
	}
	return sum.Sum64(), nil
}

// filesOf lists the files in an agents' folder that make up an agent, or that
// all agents share.
func filesOf(root *os.Root, dir string) (names []string) {
	if path.Base(dir) == sharedDir {
		entries, _ := fs.ReadDir(root.FS(), dir) // nothing to see is a state too
		for _, e := range entries {
			names = append(names, path.Join(dir, e.Name()))
		}
		return names
	}
	for _, name := range slices.Concat([]string{agentFile}, identityFiles(), []string{path.Join(docsDir, readmeFile)}) {
		names = append(names, path.Join(dir, name))
	}
	return names
}

// note adds what a file looks like from outside. A missing file adds nothing,
// which is noticed, too.
func note(w io.Writer, root *os.Root, name string) {
	info, err := root.Stat(name)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(w, "%s\x00%d\x00%d\x00%d\n", name, info.Size(), info.ModTime().UnixNano(), info.Mode()) // a hash takes everything
}
