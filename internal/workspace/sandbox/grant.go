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
func (s *Sandbox) grants(e *job) {
	open, _ := etc()
	e.Read = slices.Concat(s.readable(), open, []string{"/proc"})
	e.Write = append([]string{s.home(), s.temporary()}, devices...)
	s.grant(s.Workspace, e)
}

func (s *Sandbox) grant(path string, to *job) {
	switch {
	case slices.Contains(s.Hidden, path):
		return
	case slices.Contains(s.ReadOnly, path):
		to.Read = append(to.Read, path)
		return
	case !s.holdsProtected(path):
		to.Write = append(to.Write, path)
		return
	}
	to.List = append(to.List, path)
	entries, _ := os.ReadDir(path) // what cannot be listed is not granted
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 { // its target has its own rights
			s.grant(filepath.Join(path, e.Name()), to)
		}
	}
}

// EntryByEntry reports whether nothing new can be created directly in the workspace.
func (s *Sandbox) EntryByEntry() bool { return s.Kind == Landlock && s.holdsProtected(s.Workspace) }

func (s *Sandbox) holdsProtected(dir string) bool {
	return slices.ContainsFunc(slices.Concat(s.ReadOnly, s.Hidden), func(p string) bool { return within(dir, p) })
}
