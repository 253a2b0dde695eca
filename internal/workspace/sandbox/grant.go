package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// devices are those that any program may expect.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// grants are what a command may read and write. Landlock only allows: what must
// not be written cannot be taken out of a folder that is, so a folder that holds
// something of the kind is granted entry by entry. Nothing new can be made right
// in it then.
func (s *Sandbox) grants(e *errand) {
	open, _ := etc()
	e.Read = slices.Concat(s.readable(), open, []string{"/proc"})
	e.Write = append([]string{s.home(), s.temporary()}, devices...)
	s.grant(s.Workspace, e)
}

func (s *Sandbox) grant(path string, to *errand) {
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
		if e.Type()&os.ModeSymlink == 0 { // where it leads has its own rights
			s.grant(filepath.Join(path, e.Name()), to)
		}
	}
}

// EntryByEntry reports whether nothing new can be made right in the workspace.
func (s *Sandbox) EntryByEntry() bool { return s.Kind == Landlock && s.holdsProtected(s.Workspace) }

func (s *Sandbox) holdsProtected(dir string) bool {
	return slices.ContainsFunc(slices.Concat(s.ReadOnly, s.Hidden), func(p string) bool { return within(dir, p) })
}
