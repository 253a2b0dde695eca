package config

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"parley/internal/yamlfile"
)

const (
	agentsDir = "agents"
	sharedDir = "_shared"
	agentFile = "agent.md"
	docsDir   = "docs"

	memoryFile = "MEMORY.md"
)

// identityFiles follow agent.md in an agent's folder, in this order.
func identityFiles() []string {
	return []string{"IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "TOOLS.md", memoryFile}
}

// folder is what the agents' folder holds, each file read by itself.
type folder struct {
	drafts   []*draft
	shared   []string
	problems []Problem
	warnings []Problem
	missing  bool // there is no such folder

	entries []*entry // these do not change
	// What completing the team has made of it.
	from   legacy
	known  map[string]bool // the names of everyone, folded
	advice []advice
}

// entry is what one name in the agents' folder stands for.
type entry struct {
	name  string
	stamp stamp  // what it looked like from outside before it was read
	text  uint64 // tells its text from others; 0 if it is no plain file
	draft *draft // nil if it is no agent, or has a mistake
	more  *more  // nil if there is nothing more to say, as about nearly all
}

type more struct {
	problems []Problem
	warnings []Problem
	shared   []string // texts that go into every prompt
}

// collect puts together what was read, in the order of the names.
func collect(entries []*entry) folder {
	f := folder{entries: entries, drafts: make([]*draft, 0, len(entries))}
	for _, e := range entries {
		if e.draft != nil {
			f.drafts = append(f.drafts, e.draft)
		}
		if e.more != nil {
			f.problems = append(f.problems, e.more.problems...)
			f.warnings = append(f.warnings, e.more.warnings...)
			f.shared = append(f.shared, e.more.shared...)
		}
	}
	return f
}

// sort brings the agents into the order of their files.
func (f *folder) sort() {
	byFile := func(a, b *draft) int { return strings.Compare(a.agent.File, b.agent.File) }
	if !slices.IsSortedFunc(f.drafts, byFile) {
		slices.SortStableFunc(f.drafts, byFile)
	}
}

// readAgents reads the agents' folder in the order of the names. A team
// without the folder has no agents; an error means that there is one and it
// cannot be listed.
func readAgents(root *os.Root) (folder, error) {
	names, err := entryNames(root)
	if errors.Is(err, fs.ErrNotExist) && !isLink(root, agentsDir) {
		return folder{missing: true}, nil
	}
	if err != nil {
		return folder{}, err
	}
	return collect(readEntries(root, names, nil)), nil
}

// namesIn lists a folder by name. Unlike fs.ReadDir it does not look at each file.
func namesIn(root *os.Root, dir string) ([]string, error) {
	d, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// entriesAtOnce is how many entries one of those that read takes at a time.
const entriesAtOnce = 64

// readEntries reads entries of the agents' folder, on all processors if they are many. last
// are those that were read before, in order: who has the same text as then is shared.
func readEntries(root *os.Root, names []string, last []*entry) []*entry {
	entries := make([]*entry, len(names))
	room := make([]entry, len(names)) // in one piece
	var list *lister
	agents, err := root.OpenRoot(agentsDir)
	if err == nil {
		defer agents.Close()
		if list, err = newLister(agents); err == nil {
			defer list.close()
		}
	}
	var next atomic.Int64
	work := func() {
		r := reader{root: root, agents: agents, list: list, drafts: newDraftReader(), last: last}
		for {
			end := int(next.Add(entriesAtOnce))
			for i := end - entriesAtOnce; i < min(end, len(names)); i++ {
				room[i] = r.read(names[i])
				entries[i] = &room[i]
			}
			if end >= len(names) {
				return
			}
		}
	}
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)/entriesAtOnce) {
		all.Go(work)
	}
	work()
	all.Wait()
	return entries
}

// reader reads entries of the agents' folder, one after the other.
type reader struct {
	root   *os.Root // the team's folder
	agents *os.Root // the agents' folder; nil if it cannot be opened
	list   *lister  // its files; nil as well
	drafts *draftReader
	buffer []byte
	entry  entry // the one that is being read
	last   []*entry
}

// read reads one entry of the agents' folder. Its name says what it is.
func (r *reader) read(name string) entry {
	r.entry = entry{name: name}
	file := agentsDir + "/" + name
	if isMarkdown(name) && r.plainFile(name) {
		if !r.share(name) {
			text, found := textOf(r.buffer)
			r.addFile(file, text, found)
		}
		return r.entry
	}
	if r.agents != nil {
		r.entry.stamp = stampOf(r.root, r.agents, name)
	}
	info, err := r.root.Stat(file)
	switch {
	case err == nil && info.IsDir() && name == sharedDir:
		r.readShared(file)
	case err == nil && info.IsDir():
		r.readFolder(file, name)
	case err != nil && !isMarkdown(name):
		r.add(nil, problems(file, unreadable(r.root, file, err)))
	case isMarkdown(name):
		text, found, err := readText(r.root, file)
		if err == nil { // else it was listed a moment ago, and now it is gone, and so is the agent
			r.addFile(file, text, found)
		}
	default:
		r.warn(Problem{File: file, Message: "This is not read: an agent is a .md file, or a folder with " + agentFile + "."})
	}
	return r.entry
}

// textSeed makes it impossible to write a text that is taken for another.
var textSeed = maphash.MakeSeed()

// share takes the agent that was read before, if its file still says the same.
func (r *reader) share(name string) bool {
	r.entry.text = maphash.Bytes(textSeed, r.buffer)
	at, known := slices.BinarySearchFunc(r.last, name, (*entry).compare)
	if !known || r.last[at].text != r.entry.text || r.last[at].draft == nil {
		return false
	}
	r.entry.draft = r.last[at].draft
	return true
}

// plainFile reads what nearly every agent is, a regular file in the folder itself, in few
// steps, into the buffer. Whatever is unusual it leaves to readText.
func (r *reader) plainFile(name string) (ok bool) {
	if r.list == nil {
		return false
	}
	r.buffer, r.entry.stamp, ok = r.list.read(name, r.buffer)
	return ok
}

func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// addFile keeps an agent that is a single file.
func (r *reader) addFile(file, text string, found []yamlfile.Mistake) {
	var d *draft
	if found == nil {
		name := path.Base(file)
		d, found = r.drafts.read(file, strings.TrimSuffix(name, path.Ext(name)), text)
	}
	r.add(d, problems(file, found))
}

// readFolder reads an agent that is a folder.
func (r *reader) readFolder(dir, name string) {
	file := path.Join(dir, agentFile)
	text, found, err := readText(r.root, file)
	if err != nil {
		r.add(nil, problems(dir, wrong(0, "This folder has no %s.", agentFile)))
		return
	}
	d := &draft{}
	if found == nil {
		if d, found = r.drafts.read(file, name, text); d == nil {
			d = &draft{}
		}
	}
	wrongs := problems(file, found)
	texts := []string{d.agent.Instructions}
	for _, name := range identityFiles() {
		text, found, err := readText(r.root, path.Join(dir, name))
		if err != nil {
			continue
		}
		wrongs = append(wrongs, problems(path.Join(dir, name), found)...)
		if name == memoryFile {
			d.agent.Memory, d.agent.Remembers = text, true
		} else {
			texts = append(texts, text)
		}
	}
	d.agent.Instructions = join(texts)
	d.agent.Docs = path.Join(dir, docsDir)
	if d.agent.Description == "" {
		d.agent.Description = r.describe(path.Join(d.agent.Docs, readmeFile))
	}
	r.add(d, wrongs)
}

// add keeps the agent, or its problems.
func (r *reader) add(d *draft, wrongs []Problem) {
	if len(wrongs) == 0 {
		r.entry.draft = d
		return
	}
	m := r.more()
	m.problems = append(m.problems, wrongs...)
}

func (r *reader) warn(list ...Problem) {
	if len(list) > 0 {
		m := r.more()
		m.warnings = append(m.warnings, list...)
	}
}

func (r *reader) more() *more {
	if r.entry.more == nil {
		r.entry.more = &more{}
	}
	return r.entry.more
}

// keep takes the result of a check: the agents that passed it, and a problem
// for each that did not.
func (f *folder) keep(drafts []*draft, found []Problem) {
	f.drafts = drafts
	f.problems = append(f.problems, found...)
}

// readShared reads what goes into every prompt. A file that cannot be used is a
// problem, and only that file is left out.
func (r *reader) readShared(dir string) {
	names, err := namesIn(r.root, dir)
	if err != nil {
		r.add(nil, problems(dir, unreadable(r.root, dir, err)))
		return
	}
	for _, name := range names {
		if !isMarkdown(name) || strings.HasPrefix(name, ".") {
			continue
		}
		file := path.Join(dir, name)
		text, found, err := readText(r.root, file)
		if err != nil {
			continue
		}
		m := r.more()
		m.problems = append(m.problems, problems(file, found)...)
		m.shared = append(m.shared, text)
	}
}
