package config

import (
	"path"
	"strconv"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/yamlfile"
)

// Agent is one agent's file or folder, checked and complete. It does not change once it is
// in a Team: teams that were read one after the other share the agents whose files are the
// same.
type Agent struct {
	Name string
	// Description is the front matter's, else the first paragraph of the docs.
	Description string
	Kind        parley.AgentKind
	// Model is the agent's own or the team's; only a native agent has one.
	Model Model
	// Tools is as written; AllowedTools says what it means. An agent has only
	// those of its toolsets and servers; nil leaves all.
	Tools    []string
	Toolsets []string
	// Limits are shared by agents with the same ones.
	Limits *parley.Limits
	// Instructions are the agent's Markdown, then its identity files.
	Instructions string
	// Memory is the agent's MEMORY.md, and Common what the team shares. Remembers says
	// that there is a MEMORY.md, even an empty one.
	Memory    string
	Common    string
	Remembers bool
	// Isolated keeps its mail to the dm with the sender.
	Isolated bool
	// File is where the agent is described, relative to the team's folder.
	File string
	// Docs is the folder that others may read, relative to the team's folder;
	// empty for an agent that is a single file.
	Docs string

	// Manager is an agent or a person; empty for none.
	Manager string
	Role    string
	// Mode is write or read.
	Mode string
	// CanInvoke is nil when absent, which means everyone; empty means nobody.
	CanInvoke []string
	// Behavior is autonomous, supervised or strict.
	Behavior string
	Profile  Profile
	// Contacts are in the order of the file; the order does not matter.
	Contacts []ContactRule
	// MCPServers are its own and those of parley.yaml that it names.
	MCPServers []MCPServer
	// Shared is read or write, for the folder agents/_shared.
	Shared string
	// Schedule is what it is asked to do at given times.
	Schedule []Schedule
	// Lines holds the line of each key in the file.
	Lines map[string]int
	// Mistake says what is wrong with the file now; the agent is as it was
	// before. Only Reload sets it.
	Mistake string
}

// Knowledge is what changes more often than the instructions: the agent's MEMORY.md, then
// what the team shares.
func (a *Agent) Knowledge() string {
	if a.Memory == "" {
		return a.Common
	}
	return join([]string{a.Memory, a.Common})
}

// draft is an agent as its file has it, before the team as a whole is known. All of them
// stay in memory, so what few files have is apart.
type draft struct {
	agent Agent
	extra *extra // nil if the file has nothing of it
	// kept is the agent as it was before its file got a mistake.
	kept *Agent
	// blank means that the file is empty, or holds less than a whole ---.
	blank bool
	// finished says that the agent has what it gets from its team.
	finished bool
}

// extra is what the files of few agents say.
type extra struct {
	limits  overlay
	servers serverDraft
	// windowed is the model that the file names with a window of its own; empty if none.
	windowed string
}

func (x *extra) empty() bool {
	return x.limits == nil && x.servers.own == nil && x.servers.named == nil && x.servers.warned == nil && x.windowed == ""
}

// has is what the file says beside what all have.
func (d *draft) has() extra {
	if d.extra == nil {
		return extra{}
	}
	return *d.extra
}

// newDraft reads an agent's Markdown file. fallback is the agent's name if the
// file does not say it.
func newDraft(file, fallback, text string) (*draft, []yamlfile.Mistake) {
	return newDraftReader().read(file, fallback, text)
}

// draftReader reads many agents' files. A team may have a hundred thousand, so it makes
// the table of the keys once, and agents whose keys are on the same lines share what says
// so.
type draftReader struct {
	draft draft // the one that is being read
	extra extra
	keys  []yamlfile.Key
	lines map[string]map[string]int // by which keys are where
	where []byte
}

func newDraftReader() *draftReader {
	r := &draftReader{lines: map[string]map[string]int{}}
	r.keys = agentKeys(&r.draft.agent, &r.extra)
	return r
}

func (r *draftReader) read(file, fallback, text string) (*draft, []yamlfile.Mistake) {
	front, body, found := splitFrontMatter(text)
	if found != nil {
		return nil, found
	}
	r.draft = draft{agent: Agent{
		Name:         fallback,
		Kind:         parley.Native,
		Instructions: strings.TrimSpace(body),
		File:         file,
		Mode:         "write",
		Behavior:     "autonomous",
		Profile:      Profile{Preset: policy.DefaultPreset},
		Shared:       "read",
	}, blank: strings.HasPrefix("---", strings.TrimSpace(text))}
	r.extra = extra{}
	found = r.decode(readable(front))
	d := r.draft
	if !r.extra.empty() {
		d.extra = new(r.extra)
	}
	if err := parley.CheckName(d.agent.Name); err != nil && d.agent.Lines["name"] == 0 {
		found = append(found, yamlfile.Mistake{Line: 1, Text: "The file's name is the agent's name. " + parley.Public(err)})
	}
	return &d, found
}

// decode reads the front matter into the draft.
func (r *draftReader) decode(front string) []yamlfile.Mistake {
	r.where = r.where[:0]
	v, found := parse(front)
	if found == nil && !v.Absent() {
		found = v.Read(r.keys, func(key string, line int) {
			r.where = strconv.AppendInt(append(append(r.where, key...), ' '), int64(line), 10)
			r.where = append(r.where, '\n')
		})
	}
	lines, known := r.lines[string(r.where)]
	if !known {
		lines = map[string]int{}
		for line := range strings.Lines(string(r.where)) {
			key, number, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			lines[key], _ = strconv.Atoi(number)
		}
		r.lines[string(r.where)] = lines
	}
	r.draft.agent.Lines = lines
	return found
}

func agentKeys(a *Agent, x *extra) []yamlfile.Key {
	keys := []yamlfile.Key{
		{Name: "name", Read: nameInto(&a.Name)},
		{Name: "description", Read: textInto(&a.Description)},
		{Name: "kind", Read: kindInto(&a.Kind)},
		{Name: "model", Read: agentModelInto(a, x)},
		{Name: "tools", Read: toolsInto(&a.Tools)},
		{Name: "toolsets", Read: toolsetsInto(&a.Toolsets)},
		{Name: "limits", Read: limitsInto(&x.limits, limitKeys)},
		{Name: "manager", Read: nameInto(&a.Manager)},
		{Name: "role", Read: nameInto(&a.Role)},
		{Name: "mode", Read: yamlfile.Choice(&a.Mode, "write", "read")},
		// Without a value it could mean everyone as well as nobody.
		{Name: "can_invoke", Read: namesInto(&a.CanInvoke), Explicit: true},
		{Name: "behavior", Read: yamlfile.Choice(&a.Behavior, policy.Behaviors()...)},
		{Name: "profile", Read: profileInto(&a.Profile)},
		{Name: "contacts", Read: contactsInto(&a.Contacts)},
		{Name: "shared", Read: yamlfile.Choice(&a.Shared, "read", "write")},
		{Name: "isolated", Read: flagInto(&a.Isolated)},
		{Name: "mcp_servers", Read: serversInto(&x.servers, true)},
		{Name: "schedule", Read: schedulesInto(&a.Schedule)},
		// Subagents of Claude Code have one; it says how they are displayed there.
		{Name: "color", Read: yamlfile.Any},
	}
	for _, name := range foreignKeys {
		keys = append(keys, yamlfile.Key{Name: name, Read: yamlfile.Any})
	}
	return append(keys, noSecrets()...)
}

// foreignKeys are keys of Claude Code's subagents that parley does not have or
// calls by another name. Such files are read as they are, with a warning.
var foreignKeys = []string{"permissionMode", "disallowedTools", "maxTurns", "skills", "hooks", "memory", "background", "effort", "isolation", "initialPrompt", "mcpServers"}

func kindInto(dst *parley.AgentKind) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if s, _ := v.Trimmed(); s == string(parley.Remote) {
			return v.Wrong("Remote agents are not available yet.")
		}
		return yamlfile.Choice(dst, parley.Native, parley.Client, parley.Person)(v)
	}
}

// agentModelInto also accepts what subagents of Claude Code have: inherit, which means
// the default, and sonnet[1m], which is the model without the wish for a window.
func agentModelInto(a *Agent, x *extra) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, _ := v.Trimmed()
		if s == "inherit" {
			return nil
		}
		if name, ok := strings.CutSuffix(strings.ToLower(s), "[1m]"); ok && ownerOf(name) == "anthropic" {
			x.windowed, a.Model = name, Model{Provider: "anthropic", Name: name}
			return nil
		}
		return parsedInto(&a.Model, ParseModel)(v)
	}
}

// legacy is what agents get from their team and hold together.
type legacy struct {
	common string // what the team shares
	limits *parley.Limits
}

// finish fills in what the agent gets from its team.
func (d *draft) finish(t *Team, from legacy) *Agent {
	if d.kept != nil {
		return d.kept
	}
	a := &d.agent
	if d.finished {
		return a
	}
	d.finished = true
	a.Description = shorten(a.Description)
	a.Limits = from.limits
	if limits := d.has().limits; limits != nil {
		own := limits.over(t.Limits)
		a.Limits = &own
	}
	a.MCPServers = d.mcpServers(t)
	if a.Lines["toolsets"] == 0 {
		a.Toolsets = t.Toolsets
	}
	a.takeRole()
	a.Common = from.common
	switch {
	case a.Kind != parley.Native:
		a.Model = Model{}
	case a.Model == Model{}:
		a.Model = t.Model
	}
	return a
}

// WithMemory is the agent with another MEMORY.md.
func (a *Agent) WithMemory(text string) *Agent {
	changed := *a
	changed.Memory, changed.Remembers = text, true
	return &changed
}

// MemoryFile is the agent's MEMORY.md, relative to the team's folder; empty for an agent
// that is a single file.
func (a *Agent) MemoryFile() string {
	if dir := path.Dir(a.File); dir != agentsDir && path.Base(a.File) == agentFile {
		return path.Join(dir, memoryFile)
	}
	return ""
}

// join puts texts below each other, with an empty line between them.
func join(texts []string) string {
	var filled []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			filled = append(filled, t)
		}
	}
	return strings.Join(filled, "\n\n")
}
