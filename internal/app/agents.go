package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/config"
	"parley/internal/directory"
	"parley/internal/mcpclient"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
	"parley/internal/turn"
	"parley/internal/workspace"
)

// Member is a participant as the team's files describe it.
type Member struct {
	Name         string
	Description  string
	Role         string
	Kind         parley.AgentKind
	Instructions string
	Knowledge    string      // its memory and what the team shares
	Model        model.Model // of a native agent
	ModelName    string      // its name in the files
	Docs         directory.Docs
	Toolsets     []string // "contact" if empty
	Limits       parley.Limits
	// KeepsShared lets the agent write the files in agents/_shared.
	KeepsShared bool
	// Isolated keeps its mail to the dm with the sender.
	Isolated bool
	// Tools limits the tools of its toolsets and servers to these names; nil means all.
	Tools   []string
	Servers []OutsideServer
	// Rules are not changed after the member has joined; nil is everything that the
	// standard profile allows.
	Rules *policy.Rules
	// Mistake is what is now wrong with its file, if the member stays as it was before.
	Mistake string
	// Schedule is what it is asked to do at given times.
	Schedule []config.Schedule
	// Lead says that people talk to it first.
	Lead bool
}

// managing is the additional toolset of every manager, and of people.
const managing = "managing"

// withManaging adds the toolset managing to a member.
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

	outside *outside

	mu    sync.RWMutex
	defs  map[parley.AgentID]*definition
	tools map[string][]tool.Tool // combined, by the names of the sets
	// own are the tools of those who work outside of the hub.
	own map[parley.AgentID][]tool.Tool
	// manages are the folded names of the managers in each team.
	manages map[parley.TeamID]map[string]bool
	changed func() // somebody wants to know
}

// definition is a native agent with where its further tools come from.
type definition struct {
	turn.Agent
	servers []*mcpclient.Conn
	only    []string
	// space is the workspace that the agent works in, whose guides it reads; nil if none.
	space *workspace.Workspace
}

// guides are what the owner of its workspace tells the agent.
func (d *definition) guides() []workspace.Guide {
	if d.space == nil {
		return nil
	}
	return d.space.Guides()
}

func newAgents(dir *directory.Directory, sets toolsets, outside *outside) *agents {
	return &agents{dir: dir, sets: sets, free: &policy.Rules{}, outside: outside,
		defs: map[parley.AgentID]*definition{}, tools: map[string][]tool.Tool{}, own: map[parley.AgentID][]tool.Tool{}, manages: map[parley.TeamID]map[string]bool{}}
}

// Definition finds a native agent with the tools that its servers have now. The
// servers stay until it is released, even if the files change.
func (a *agents) Definition(id parley.AgentID) (turn.Agent, bool) {
	d, release, ok := a.hold(id)
	if !ok {
		return turn.Agent{}, false
	}
	whenReady(d.servers)
	agent := d.now()
	agent.Release = release
	return agent, true
}

// hold finds an agent and keeps its servers from being closed by a change of the
// files.
func (a *agents) hold(id parley.AgentID) (d *definition, release func(), ok bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	d, ok = a.defs[id]
	if ok && len(d.servers) > 0 {
		release = a.outside.servers.Hold(d.servers)
	}
	return d, release, ok
}

func (a *agents) find(id parley.AgentID) (*definition, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	d, ok := a.defs[id]
	return d, ok
}

// now is the agent with the present tools of its servers, and with what the owner of its
// workspace says at present. That changes seldom, so it comes before what it knows.
func (d *definition) now() turn.Agent {
	agent := d.Agent
	if text := workspace.GuideText(d.guides()); text != "" {
		agent.Instructions = strings.TrimPrefix(agent.Instructions+"\n\n"+text, "\n\n")
	}
	if len(d.servers) > 0 {
		agent.Tools = slices.Concat(agent.Tools, allowed(mcpclient.Combine(d.servers), d.only))
	}
	return agent
}

// Toolbox lists the tools and servers of an agent. It implements reading.Toolboxes.
func (a *agents) Toolbox(id parley.AgentID) (box reading.Toolbox) {
	d, ok := a.find(id)
	if !ok {
		box.Tools = describeTools(a.ToolsOf(id))
		return box
	}
	for _, g := range d.guides() {
		box.Guides = append(box.Guides, reading.Guide{File: g.File, Size: g.Size, Shown: len(g.Text), Cut: g.Cut, Note: g.Note})
	}
	box.Tools = describeTools(d.now().Tools)
	for _, c := range d.servers {
		box.Servers = append(box.Servers, reading.ToolServer(c.State()))
	}
	return box
}

// Instructions are what an agent's model reads first. It implements reading.Toolbox.
func (a *agents) Instructions(id parley.AgentID) string {
	d, ok := a.find(id)
	if !ok {
		return ""
	}
	now := d.now()
	return strings.Trim(now.Instructions+"\n\n"+now.Knowledge, "\n")
}

// ActionOf names a call for the rules. It implements reading.Actions.
func (a *agents) ActionOf(id parley.AgentID, name string, args json.RawMessage) string {
	tools := a.ToolsOf(id)
	if d, ok := a.find(id); ok {
		tools = d.now().Tools
	}
	t, ok := tool.Find(tools, name)
	if !ok {
		return ""
	}
	action, _ := t.ActionOf(args)
	return action
}

func describeTools(list []tool.Tool) (out []reading.Tool) {
	for _, t := range list {
		out = append(out, reading.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return out
}

// ToolsOf are the tools of a participant who works outside of the hub. The list stays the
// same until it changes.
func (a *agents) ToolsOf(id parley.AgentID) []tool.Tool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.own[id]
}

// Name is how a participant is called.
func (a *agents) Name(id parley.AgentID) string {
	e, _ := a.dir.Entry(id)
	return e.Name
}

// take adds members and removes others in one step. Agents with the same tools,
// limits or missing rules share them, so that an idle agent costs little. A running
// turn keeps what it began with.
func (a *agents) take(team parley.TeamID, ids []parley.AgentID, r Roster, gone []parley.Agent) {
	used := servers{}
	manages := r.managers()
	made := a.define(team, ids, r, manages, used)
	defer a.outside.end(team, used)
	a.put(made, gone, func() { a.manages[team] = manages })
}

// amend replaces members that have no servers, and whose managers stay the same.
func (a *agents) amend(team parley.TeamID, ids []parley.AgentID, r Roster) {
	a.mu.RLock()
	manages := a.manages[team]
	a.mu.RUnlock()
	a.put(a.define(team, ids, r, manages, servers{}), nil, func() {})
}

// defined is what there is to know about members.
type defined struct {
	entries []*directory.Entry
	defs    []*definition // of the same ones; nil for those who work outside of the hub
	own     map[parley.AgentID][]tool.Tool
}

// define makes what the hub needs to know about members.
func (a *agents) define(team parley.TeamID, ids []parley.AgentID, r Roster, manages map[string]bool, used servers) defined {
	made := defined{entries: make([]*directory.Entry, len(ids)), defs: make([]*definition, len(ids)), own: map[parley.AgentID][]tool.Tool{}}
	shared := map[parley.Limits]*parley.Limits{}
	combined := map[string][]tool.Tool{}
	for i, id := range ids {
		m := r.at(i)
		limits := shared[m.Limits]
		if limits == nil {
			limits = new(m.Limits)
			shared[m.Limits] = limits
		}
		if manages[parley.FoldName(m.Name)] {
			m = withManaging(m)
		}
		made.entries[i] = &directory.Entry{ID: id, Team: team, Name: m.Name, Kind: m.Kind, Description: m.Description, Role: m.Role,
			Model: m.ModelName, Docs: m.Docs, Limits: limits, Rules: a.rules(m), Isolated: m.Isolated, Mistake: m.Mistake, Lead: m.Lead}
		if m.Kind != parley.Native {
			made.own[id] = a.outsideTools(m, r.Toolsets, combined)
			continue
		}
		tools := a.limit(a.combine(ownSets(m), r.Toolsets, combined), m)
		d := &definition{Agent: turn.Agent{Name: m.Name, Instructions: m.Instructions, Knowledge: m.Knowledge, Model: m.Model, ModelName: m.ModelName, Tools: tools, Limits: limits, Isolated: m.Isolated},
			servers: a.outside.connect(team, m, used), only: m.Tools}
		if slices.Contains(m.Toolsets, workspaceSet) {
			d.space = r.Workspace
		}
		made.defs[i] = d
	}
	return made
}

// put takes over what was made of members, and forgets others. also is done in the same
// step.
func (a *agents) put(made defined, gone []parley.Agent, also func()) {
	defer a.tell()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dir.Update(made.entries, gone)
	for i, e := range made.entries {
		delete(a.own, e.ID)
		if d := made.defs[i]; d != nil {
			a.defs[e.ID] = d
		} else {
			delete(a.defs, e.ID) // it may no longer be native
		}
	}
	for _, g := range gone {
		delete(a.defs, g.ID)
		delete(a.own, g.ID)
	}
	maps.Copy(a.own, made.own)
	also()
}

// tell tells whoever wants to know of changes.
func (a *agents) tell() {
	a.mu.RLock()
	changed := a.changed
	a.mu.RUnlock()
	if changed != nil {
		changed()
	}
}

// limit leaves a member only the tools that its files name. A manager keeps the tools
// for approvals, since others depend on them.
func (a *agents) limit(tools []tool.Tool, m Member) []tool.Tool {
	if m.Tools == nil || !slices.Contains(m.Toolsets, managing) {
		return allowed(tools, m.Tools)
	}
	only := slices.Clone(m.Tools)
	for _, t := range a.sets[managing] {
		only = append(only, t.Name)
	}
	return allowed(tools, only)
}

func (a *agents) rules(m Member) *policy.Rules {
	if m.Rules == nil {
		return a.free
	}
	return m.Rules
}

// combine collects the tools of some sets. Those of a team's own sets are kept for this
// time only, so that no other team gets them.
func (a *agents) combine(sets []string, own toolsets, combined map[string][]tool.Tool) []tool.Tool {
	if len(sets) == 0 {
		sets = []string{"contact"}
	}
	key := fmt.Sprint(sets)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.ContainsFunc(sets, func(name string) bool { return own[name] != nil }) {
		combined = a.tools
	}
	if tools, ok := combined[key]; ok {
		return tools
	}
	var tools []tool.Tool
	for _, name := range sets {
		for _, t := range slices.Concat(own[name], a.sets[name]) { // none for a set of a later version: the files' reader has warned
			if _, twice := tool.Find(tools, t.Name); !twice {
				tools = append(tools, t)
			}
		}
	}
	// Whatever an agent does, it can read what it was sent.
	for _, name := range []string{contacttools.Inbox, contacttools.Attachment} {
		if t, ok := tool.Find(a.sets["contact"], name); ok {
			if _, twice := tool.Find(tools, name); !twice && len(tools) > 0 {
				tools = append(tools, t)
			}
		}
	}
	combined[key] = tools
	return tools
}
