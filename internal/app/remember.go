package app

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"parley"
	"parley/internal/change"
	"parley/internal/config"
	"parley/internal/memory"
	"parley/internal/tool"
	"parley/internal/tool/memorytools"
	"parley/internal/workspace"
)

// memorySet is the toolset of agents that write their own MEMORY.md.
const memorySet = "memory"

// memoryFolder is where the data folder keeps the memories of agents that are a single
// file.
const memoryFolder = "memory"

// memories are those of a team's agents: in their folders, or in the data folder.
type memories struct {
	service memory.Service
	team    *workspace.Workspace
	data    *workspace.Workspace

	// restored hears of what somebody else has put there.
	restored func(file, text string)

	mu    sync.Mutex
	paths map[string]string // in the team's folder, by folded name
}

func openMemories(h *Hub, team *config.Team) (*memories, error) {
	m := &memories{paths: map[string]string{}}
	var err error
	if m.team, err = workspace.Open(workspace.Config{Folder: team.Dir, Team: team.Dir, Memory: true}); err != nil {
		return nil, err
	}
	if m.data, err = workspace.Open(workspace.Config{Folder: team.Data, Team: team.Dir, Memory: true}); err != nil {
		return nil, errors.Join(err, m.team.Close())
	}
	m.service = memory.Service{Store: h.Store, Find: func(id parley.AgentID) (memory.Place, bool) {
		name := h.agents.Name(id)
		return m.place(name), name != ""
	}}
	return m, nil
}

func (m *memories) close() error { return errors.Join(m.team.Close(), m.data.Close()) }

// take remembers where the agents' memories are.
func (m *memories) take(agents []*config.Agent) {
	paths := map[string]string{}
	for _, a := range agents {
		if file := a.MemoryFile(); file != "" {
			paths[parley.FoldName(a.Name)] = file
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paths = paths
}

func (m *memories) place(name string) memory.Place {
	m.mu.Lock()
	defer m.mu.Unlock()
	if file := m.paths[parley.FoldName(name)]; file != "" {
		return memory.Place{Files: m.team, Path: file}
	}
	return memory.Place{Files: m.data, Path: dataMemory(name)}
}

// filesAt finds the folder of a memory that was changed.
func (m *memories) filesAt(file string) change.Files {
	switch {
	case path.Dir(file) == memoryFolder:
		return memoryFiles{m.data, m}
	case path.Base(file) == "MEMORY.md":
		return memoryFiles{m.team, m}
	}
	return nil
}

// memoryFiles makes what is restored part of prompts at once.
type memoryFiles struct {
	*workspace.Workspace
	of *memories
}

func (f memoryFiles) Restore(file string, from, to parley.FileState) error {
	err := f.Workspace.Restore(file, from, to)
	if err == nil {
		f.of.restored(file, string(to.Content))
	}
	return err
}

func (m *memories) tools() []tool.Tool { return memorytools.New(&m.service) }

// dataMemory is the memory of an agent that is a single file, in the data folder.
func dataMemory(name string) string { return path.Join(memoryFolder, parley.FoldName(name)+".md") }

// remembering lists the memories that the data folder has. Most agents have none there, so
// nobody looks for each.
func remembering(team *config.Team) map[string]bool {
	files, _ := os.ReadDir(filepath.Join(team.Data, memoryFolder)) // there may be no such folder
	there := make(map[string]bool, len(files))
	for _, f := range files {
		there[path.Join(memoryFolder, f.Name())] = true
	}
	return there
}

// remembered is an agent with the memory that the data folder has of it. there are all that
// it has.
func remembered(team *config.Team, there map[string]bool, a *config.Agent) *config.Agent {
	if !hasMemory(there, a) {
		return a
	}
	text, err := os.ReadFile(filepath.Join(team.Data, filepath.FromSlash(dataMemory(a.Name))))
	if err != nil || len(text) > memory.MaxBytes {
		return a
	}
	return a.WithMemory(string(text))
}

// hasMemory reports whether an agent is among those whose memory is in the data folder.
func hasMemory(there map[string]bool, a *config.Agent) bool {
	return len(there) > 0 && there[dataMemory(a.Name)] && a.MemoryFile() == ""
}

// memorySets adds the toolset to an agent that has a memory, and takes it from one that
// may not write.
func memorySets(a *config.Agent) []string {
	switch {
	case a.Kind != parley.Native || a.Mode == "read":
		return slices.DeleteFunc(slices.Clone(a.Toolsets), func(name string) bool { return name == memorySet })
	case !a.Remembers || slices.Contains(a.Toolsets, memorySet):
		return a.Toolsets
	case len(a.Toolsets) == 0:
		return []string{"contact", memorySet}
	}
	return append(slices.Clone(a.Toolsets), memorySet)
}

// remember gives an agent another memory, from its next turn on.
func (a *agents) remember(id parley.AgentID, knowledge string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.defs[id]; d != nil {
		now := *d
		now.Knowledge = knowledge
		a.defs[id] = &now
	}
}

// remember takes over what an agent wrote into its memory. The files say the same, so
// that looking at them later finds nothing new.
func (f *teamFiles) remember(id parley.AgentID, text string) {
	name := parley.FoldName(f.hub.agents.Name(id))
	f.takeMemory(text, func(a *config.Agent) bool { return parley.FoldName(a.Name) == name })
}

// restored takes over a memory that somebody has put back.
func (f *teamFiles) restored(file, text string) {
	f.takeMemory(text, func(a *config.Agent) bool {
		return file == a.MemoryFile() || a.MemoryFile() == "" && file == dataMemory(a.Name)
	})
}

func (f *teamFiles) takeMemory(text string, is func(*config.Agent) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.held.Agents, is)
	if i < 0 {
		return
	}
	now := f.held.Agents[i].WithMemory(text)
	if e, err := f.hub.Directory.Find(f.team.ID, now.Name); err == nil {
		f.hub.agents.remember(e.ID, now.Knowledge())
	}
	if now.MemoryFile() == "" { // the files do not know of it
		f.recalled[dataMemory(now.Name)] = true
		return
	}
	held := *f.held
	held.Agents = slices.Clone(held.Agents)
	held.Agents[i] = now
	f.held, f.unread = &held, append(f.unread, now.MemoryFile())
}
