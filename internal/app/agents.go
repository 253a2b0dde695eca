package app

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"parley"
	"parley/internal/directory"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/turn"
)

// Member is a participant as the team's files describe it.
type Member struct {
	Name         string
	Description  string
	Kind         parley.AgentKind
	Instructions string
	Model        model.Model // of a native agent
	ModelName    string      // as the files name it
	Docs         directory.Docs
	Toolsets     []string // "contact" if empty
	Limits       parley.Limits
	// KeepsShared lets the agent write into agents/_shared.
	KeepsShared bool
	// Rules are not changed after the member has joined; nil is everything that the
	// standard profile allows.
	Rules *policy.Rules
	// Mistake is what is wrong with its file by now, if it is as it was before.
	Mistake string
}

// managing is the toolset of those who are somebody's manager, besides what
// their files give them.
const managing = "managing"

// managers are the folded names of those who are somebody's manager.
func managers(members []Member) map[string]bool {
	set := map[string]bool{}
	for _, m := range members {
		if m.Rules != nil && m.Rules.Manager != "" {
			set[m.Rules.Manager] = true
		}
	}
	return set
}

// withManaging adds the toolset to a member's own.
func withManaging(m Member) Member {
	if len(m.Toolsets) == 0 {
		m.Toolsets = []string{"contact"}
	}
	m.Toolsets = append(slices.Clone(m.Toolsets), managing)
	return m
}

// toolsets are the tools that an agent can be given, by the set's name.
type toolsets map[string][]tool.Tool

// agents holds the definitions of the native agents. It implements
// turn.Agents.
type agents struct {
	dir  *directory.Directory
	sets toolsets
	free *policy.Rules // of those whose files have none

	mu    sync.RWMutex
	defs  map[parley.AgentID]*turn.Agent
	tools map[string][]tool.Tool // combined, by the names of the sets
}

func newAgents(dir *directory.Directory, sets toolsets) *agents {
	return &agents{dir: dir, sets: sets, free: &policy.Rules{}, defs: map[parley.AgentID]*turn.Agent{}, tools: map[string][]tool.Tool{}}
}

// Definition finds a native agent's.
func (a *agents) Definition(id parley.AgentID) (turn.Agent, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	d, ok := a.defs[id]
	if !ok {
		return turn.Agent{}, false
	}
	return *d, true
}

// Name is how a participant is called.
func (a *agents) Name(id parley.AgentID) string {
	e, _ := a.dir.Entry(id)
	return e.Name
}

// take takes members in and lets others go, all at once. Tools, limits and the
// lack of rules are shared between the agents that have the same, so that an idle
// agent costs little. A turn that runs keeps what it began with.
func (a *agents) take(stored []parley.Agent, members []Member, gone []parley.Agent) {
	entries, defs := make([]directory.Entry, 0, len(members)), map[parley.AgentID]*turn.Agent{}
	shared := map[parley.Limits]*parley.Limits{}
	manages := managers(members)
	for i, m := range members {
		limits := shared[m.Limits]
		if limits == nil {
			limits = &m.Limits
			shared[m.Limits] = limits
		}
		if manages[parley.FoldName(m.Name)] {
			m = withManaging(m)
		}
		entries = append(entries, directory.Entry{ID: stored[i].ID, Team: stored[i].Team, Name: m.Name, Kind: m.Kind, Description: m.Description,
			Model: m.ModelName, Docs: m.Docs, Limits: limits, Rules: a.rules(m), Mistake: m.Mistake})
		if m.Kind == parley.Native {
			defs[stored[i].ID] = &turn.Agent{Name: m.Name, Instructions: m.Instructions, Model: m.Model, Tools: a.combine(ownSets(m)), Limits: *limits}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dir.Update(entries, gone)
	for _, e := range entries {
		delete(a.defs, e.ID) // it may be native no longer
	}
	for _, g := range gone {
		delete(a.defs, g.ID)
	}
	maps.Copy(a.defs, defs)
}

func (a *agents) rules(m Member) *policy.Rules {
	if m.Rules == nil {
		return a.free
	}
	return m.Rules
}

func (a *agents) combine(sets []string) []tool.Tool {
	if len(sets) == 0 {
		sets = []string{"contact"}
	}
	key := fmt.Sprint(sets)
	a.mu.Lock()
	defer a.mu.Unlock()
	if tools, ok := a.tools[key]; ok {
		return tools
	}
	var tools []tool.Tool
	for _, name := range sets {
		for _, t := range a.sets[name] { // none for a set of a later version: the files' reader has warned
			if _, twice := tool.Find(tools, t.Name); !twice {
				tools = append(tools, t)
			}
		}
	}
	a.tools[key] = tools
	return tools
}
