package config

import (
	"os"
	"path"
	"slices"
	"strings"
)

// seen is what reading a team's folder found. The next reading goes on from there. It does
// not change: the teams that are read one after the other share what stays the same.
type seen struct {
	folder
	person string   // whom the command line acted as
	agents []*Agent // those of the team
	// whole says that no file has a mistake, so that every agent is as its file says, and
	// that the agents are in the order of their files.
	whole bool
}

// seen keeps what was found, for the next reading.
func (f *folder) seen(team *Team) *seen {
	s := &seen{folder: *f, person: team.Person, agents: team.Agents}
	s.drafts = nil // the entries have them
	s.whole = len(f.problems) == 0 && slices.IsSortedFunc(team.Agents, func(a, b *Agent) int { return strings.Compare(a.File, b.File) })
	return s
}

// Refresh is Reload for who knows which files may have changed since last was read: it
// reads only these, and gives what Reload would give. The files are named relative to the
// team's folder, with slashes. A file that everybody depends on, like parley.yaml, is a
// reason to read all.
func Refresh(before, last *Team, files []string) (*Team, []Problem, error) {
	names, ok := entriesOf(files)
	if !ok || last.seen == nil || last.seen.missing {
		return Reload(before)
	}
	team, root, err := readSettings(before.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if err := team.written(before); err != nil {
		return nil, nil, err
	}
	if info, err := root.Stat(agentsDir); err != nil || !info.IsDir() || !team.SameSettings(last) {
		return Reload(before)
	}
	there := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := root.Lstat(path.Join(agentsDir, name))
		return os.IsNotExist(err)
	})
	fresh := readEntries(root, there, nil)
	if len(there) == len(names) && last.seen.person == before.Person && last.seen.amend(team, fresh) {
		return team, nil, nil
	}
	f := collect(last.seen.with(names, fresh))
	f.from = last.seen.from
	return f.succeed(team, before)
}

// Reread is Reload for who has the team as it was read last: it reads every file, gives what
// Reload would give, and shares the agents whose files still say the same.
func Reread(before, last *Team) (*Team, []Problem, error) {
	if last.seen == nil || last.seen.missing {
		return Reload(before)
	}
	team, root, err := readSettings(before.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if err := team.written(before); err != nil {
		return nil, nil, err
	}
	names, err := entryNames(root)
	if err != nil || !team.SameSettings(last) {
		return Reload(before)
	}
	f := collect(readEntries(root, names, last.seen.entries))
	if f.from = last.seen.from; join(f.shared) != f.from.common {
		return Reload(before)
	}
	return f.succeed(team, before)
}

// SameSettings reports whether parley.yaml says the same about both teams.
func (t *Team) SameSettings(other *Team) bool { return t.digest == other.digest }

// entriesOf names the entries of the agents' folder that files belong to, in order. It
// reports false if all have to be read.
func entriesOf(files []string) (names []string, ok bool) {
	for _, file := range files {
		rest, below := strings.CutPrefix(file, agentsDir+"/")
		name, _, _ := strings.Cut(rest, "/")
		switch {
		case file == agentsDir, below && name == sharedDir:
			return nil, false
		case below && name != "" && !ignored(name):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// with are the entries after some have been read again. Those that are not among the fresh
// ones are gone.
func (s *seen) with(names []string, fresh []*entry) []*entry {
	entries := make([]*entry, 0, len(s.entries)+len(fresh))
	rest := s.entries
	for _, name := range names {
		at, known := slices.BinarySearchFunc(rest, name, (*entry).compare)
		entries = append(entries, rest[:at]...)
		if rest = rest[at:]; known {
			rest = rest[1:]
		}
		if i, found := slices.BinarySearchFunc(fresh, name, (*entry).compare); found {
			entries = append(entries, fresh[i])
		}
	}
	return append(entries, rest...)
}

func (e *entry) compare(name string) int { return strings.Compare(e.name, name) }

// amend completes the team with agents that were read again, if that concerns nobody else:
// each is who it was, and none has a mistake. Otherwise the team has to be looked at as a
// whole.
func (s *seen) amend(team *Team, fresh []*entry) bool {
	if !s.whole {
		return false
	}
	names := make([]string, len(fresh))
	for i, e := range fresh {
		names[i] = e.name
		at, known := slices.BinarySearchFunc(s.entries, e.name, (*entry).compare)
		if !known || !e.replaces(s.entries[at]) || !e.draft.fits(team) {
			return false
		}
	}
	now := *s
	now.entries = s.with(names, fresh)
	now.agents = slices.Clone(s.agents)
	now.advice = slices.Clone(s.advice)
	for _, e := range fresh {
		now.put(team, e.draft)
	}
	team.Agents = now.agents
	now.warn(team)
	_ = team.checkLead() // it finds the name again: nobody's has changed
	team.seen = &now
	return true
}

// replaces reports whether an entry is the same agent as before to all others.
func (e *entry) replaces(old *entry) bool {
	if e.draft == nil || old.draft == nil || e.more != nil || old.more != nil || e.draft.blank {
		return false
	}
	a, b := &e.draft.agent, &old.draft.agent
	return a.File == b.File && a.Name == b.Name && a.Kind == b.Kind && a.Manager == b.Manager && len(a.Schedule)+len(b.Schedule) == 0
}

// fits reports whether the team has what the agent names.
func (d *draft) fits(team *Team) bool {
	_, noModel := withModel(team, []*draft{d})
	_, noServer := serversKnown(team, []*draft{d})
	return len(noModel)+len(noServer) == 0
}

// put puts an agent into the place that it had before.
func (s *seen) put(team *Team, d *draft) {
	file := d.agent.File
	at, _ := slices.BinarySearchFunc(s.agents, file, func(a *Agent, file string) int { return strings.Compare(a.File, file) })
	s.agents[at] = d.finish(team, s.from)
	at, known := slices.BinarySearchFunc(s.advice, file, func(a advice, file string) int { return strings.Compare(a.file, file) })
	if known {
		s.advice = slices.Delete(s.advice, at, at+1)
	}
	if list := d.advice(team, s.known); list != nil {
		s.advice = slices.Insert(s.advice, at, advice{file, list})
	}
}
