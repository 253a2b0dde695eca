package config

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Sight is what a team's files look like from outside, by names, sizes and times, without
// reading them. If two sights taken some time apart are the same, nobody is writing at the
// moment. Files that are read on demand, such as docs, do not count, except for the page
// that describes an agent.
type Sight struct {
	team    stamp // of parley.yaml
	folder  stamp // of the agents' folder, if it cannot be listed
	entries []sighted
}

type sighted struct {
	name  string
	stamp stamp
}

// stamp tells one state of a file, or of a few, from another.
type stamp uint64

// Look looks at the files of a team.
func Look(dir string) (*Sight, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s := &Sight{}
	s.team.note(root, TeamFile)
	names, err := entryNames(root)
	if err != nil {
		s.folder.note(root, agentsDir) // it may be gone, or come back
		return s, nil
	}
	agents, err := root.OpenRoot(agentsDir)
	if err != nil {
		return nil, err
	}
	defer agents.Close()
	list, err := newLister(agents)
	if err != nil {
		return nil, err
	}
	defer list.close()
	s.entries = make([]sighted, len(names))
	for i, name := range names {
		look, plain := list.stamp(name)
		if !plain {
			look = stampOf(root, agents, name)
		}
		s.entries[i] = sighted{name, look}
	}
	return s, nil
}

// Same reports whether two sights are of the same state.
func (s *Sight) Same(other *Sight) bool {
	return other != nil && s.team == other.team && s.folder == other.folder && slices.Equal(s.entries, other.entries)
}

// Stamp is a sight in one number, for who only wants to know whether something has changed.
func Stamp(dir string) (uint64, error) {
	s, err := Look(dir)
	if err != nil {
		return 0, err
	}
	sum := s.team
	sum.mix(uint64(s.folder))
	for _, e := range s.entries {
		sum.name(e.name)
		sum.mix(uint64(e.stamp))
	}
	return uint64(sum), nil
}

// Since names the files that look different from when the team was read, for Refresh.
func (s *Sight) Since(last *Team) (files []string) {
	if last.seen == nil || s.folder != 0 {
		return []string{agentsDir}
	}
	if s.team != last.stamp {
		files = append(files, TeamFile)
	}
	read := last.seen.entries
	for _, e := range s.entries {
		for len(read) > 0 && read[0].name < e.name {
			files = append(files, path.Join(agentsDir, read[0].name)) // it is gone
			read = read[1:]
		}
		if len(read) > 0 && read[0].name == e.name {
			if read[0].stamp != e.stamp {
				files = append(files, path.Join(agentsDir, e.name))
			}
			read = read[1:]
			continue
		}
		files = append(files, path.Join(agentsDir, e.name))
	}
	for _, gone := range read {
		files = append(files, path.Join(agentsDir, gone.name))
	}
	return files
}

// stampOf looks at an entry of the agents' folder, and at the files below that make up an
// agent, or that all agents share.
func stampOf(root, agents *os.Root, name string) (s stamp) {
	dir := path.Join(agentsDir, name)
	info, err := agents.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = root.Stat(dir)
	}
	if err == nil && info.Mode().IsRegular() {
		s.add(info)
		return s
	}
	s.note(root, dir)
	for _, below := range filesOf(root, dir) {
		s.note(root, below)
	}
	return s
}

// filesOf lists the files in an agents' folder that make up an agent, or that
// all agents share.
func filesOf(root *os.Root, dir string) (names []string) {
	below := slices.Concat([]string{agentFile}, identityFiles(), []string{path.Join(docsDir, readmeFile)})
	if path.Base(dir) == sharedDir {
		below, _ = namesIn(root, dir) // nothing to see is a state too
	}
	for _, name := range below {
		names = append(names, path.Join(dir, name))
	}
	return names
}

// note adds what a file looks like from outside, and which one it is.
func (s *stamp) note(root *os.Root, name string) {
	info, err := root.Stat(name)
	if err != nil {
		return // a missing file adds nothing, which is noticed, too
	}
	s.name(name)
	s.add(info)
}

func (s *stamp) name(name string) {
	for i := range len(name) {
		s.mix(uint64(name[i]))
	}
}

func (s *stamp) add(info fs.FileInfo) {
	s.file(info.Size(), info.ModTime().UnixNano(), info.Mode())
}

func (s *stamp) file(size, changed int64, mode fs.FileMode) {
	s.mix(uint64(size))
	s.mix(uint64(changed))
	s.mix(uint64(mode))
}

// mix is a step of FNV-1a, with a whole number at once, and stirred so that all bits count.
func (s *stamp) mix(n uint64) {
	h := (uint64(*s) ^ n) * 0x9e3779b97f4a7c15
	*s = stamp(h ^ h>>29)
}

// entryNames lists the agents' folder, without what editors and people leave there and do
// not mean as agents.
func entryNames(root *os.Root) ([]string, error) {
	names, err := namesIn(root, agentsDir)
	return slices.DeleteFunc(names, ignored), err
}

func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.EqualFold(name, readmeFile)
}

// Watched reports whether a file or folder, named relative to the team's folder and with
// slashes, is one of those that a Sight is of.
func Watched(name string) bool {
	parts := strings.Split(name, "/")
	if parts[0] != agentsDir || len(parts) == 1 {
		return name == TeamFile || name == agentsDir
	}
	if ignored(parts[1]) {
		return false
	}
	below := path.Join(parts[2:]...)
	return below == "" || parts[1] == sharedDir && len(parts) == 3 ||
		below == agentFile || below == docsDir || below == path.Join(docsDir, readmeFile) || slices.Contains(identityFiles(), below)
}
