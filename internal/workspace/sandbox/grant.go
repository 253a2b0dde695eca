package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// devices are those that any program may expect.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// grants sets what a command may read and write. Landlock can only allow: nothing can
// be excluded from a writable folder. A folder that contains something protected is
// therefore granted entry by entry, and then nothing new can be created directly in
// it.
func (c *Config) grants(e *job) {
	e.Read = slices.Concat(c.readable(), c.etc.open, []string{"/proc"})
	e.Write = append([]string{c.home(), c.temporary()}, devices...)
	for _, p := range c.Shown {
		c.grant(p, e, false)
	}
	c.grant(c.Workspace, e, !c.ReadsOnly)
}

func (c *Config) grant(path string, to *job, writable bool) {
	writable = writable && !slices.Contains(c.ReadOnly, path)
	switch {
	case slices.Contains(c.Hidden, path):
		return
	case writable && !c.holdsProtected(path):
		to.Write = append(to.Write, path)
		return
	case !writable && !c.holdsHidden(path):
		to.Read = append(to.Read, path)
		return
	}
	to.List = append(to.List, path)
	entries, _ := os.ReadDir(path) // what cannot be listed is not granted
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 { // its target has its own rights
			c.grant(filepath.Join(path, e.Name()), to, writable)
		}
	}
}

// EntryByEntry reports whether nothing new can be created directly in the workspace.
func (s *Sandbox) EntryByEntry() bool { return s.Kind == Landlock && s.holdsProtected(s.Workspace) }

func (c *Config) holdsProtected(dir string) bool {
	return c.holdsHidden(dir) || slices.ContainsFunc(c.ReadOnly, func(p string) bool { return within(dir, p) })
}

func (c *Config) holdsHidden(dir string) bool {
	return slices.ContainsFunc(c.Hidden, func(p string) bool { return within(dir, p) })
}

// hiddenFiles are what is hidden and is not a folder.
func (c *Config) hiddenFiles() (files []string) {
	for _, p := range c.Hidden {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			files = append(files, p)
		}
	}
	return files
}
