package config

import (
	"path"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/yamlfile"
)

// Agent is one agent's file or folder, checked and complete.
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
	Limits   parley.Limits
	// Instructions are the agent's Markdown, then its identity files.
	Instructions string
	// Knowledge is what changes more often: the agent's MEMORY.md, then what the
	// team shares.
	Knowledge string
	// Memory is the first part of that, and Common the rest. Remembers says that there is
	// a MEMORY.md, even an empty one.
	Memory    string
	Remembers bool
	Common    string
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
	// Isolated keeps its mail to the dm with the sender.
	Isolated bool
	// Schedule is what it is asked to do at given times.
	Schedule []Schedule
	// Lines holds the line of each key in the file.
	Lines map[string]int
	// Mistake says what is wrong with the file now; the agent is as it was
	// before. Only Reload sets it.
	Mistake string
}

// draft is an agent as its file has it, before the team as a whole is known.
type draft struct {
	agent   Agent
	limits  overlay
	servers serverDraft
	// lines holds the line of each key that is present.
	lines map[string]int
	// blank means that the file is empty, or holds less than a whole ---.
	blank bool
	// windowed is the model that the file names with a window of its own; empty if none.
	windowed string
	// kept is the agent as it was before its file got a mistake.
	kept *Agent
}

// newDraft reads an agent's Markdown file. fallback is the agent's name if the
// file does not say it.
func newDraft(file, fallback, text string) (draft, []yamlfile.Mistake) {
	front, body, found := splitFrontMatter(text)
	if found != nil {
		return draft{}, found
	}
	d := draft{agent: Agent{
		Name:         fallback,
		Kind:         parley.Native,
		Instructions: strings.TrimSpace(body),
		File:         file,
		Mode:         "write",
		Behavior:     "autonomous",
		Profile:      Profile{Preset: policy.DefaultPreset},
		Shared:       "read",
	}, blank: strings.HasPrefix("---", strings.TrimSpace(text))}
	d.lines, found = decode(readable(front), agentKeys(&d))
	if err := parley.CheckName(d.agent.Name); err != nil && d.lines["name"] == 0 {
		found = append(found, yamlfile.Mistake{Line: 1, Text: "The file's name is the agent's name. " + parley.Public(err)})
	}
	return d, found
}

func agentKeys(d *draft) []yamlfile.Key {
	a := &d.agent
	keys := []yamlfile.Key{
		{Name: "name", Read: nameInto(&a.Name)},
		{Name: "description", Read: textInto(&a.Description)},
		{Name: "kind", Read: kindInto(&a.Kind)},
		{Name: "model", Read: agentModelInto(d)},
		{Name: "tools", Read: toolsInto(&a.Tools)},
		{Name: "toolsets", Read: toolsetsInto(&a.Toolsets)},
		{Name: "limits", Read: limitsInto(&d.limits, limitKeys)},
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
		{Name: "mcp_servers", Read: serversInto(&d.servers, true)},
		{Name: "schedule", Read: schedulesInto(&a.Schedule)},
		// Subagents of Claude Code have one; it says how they are displayed there.
		{Name: "color", Read: yamlfile.Any},
	}
	for _, name := range foreignKeys() {
		keys = append(keys, yamlfile.Key{Name: name, Read: yamlfile.Any})
	}
	return append(keys, noSecrets()...)
}

// foreignKeys are keys of Claude Code's subagents that parley does not have or
// calls by another name. Such files are read as they are, with a warning.
func foreignKeys() []string {
	return []string{"permissionMode", "disallowedTools", "maxTurns", "skills", "hooks", "memory", "background", "effort", "isolation", "initialPrompt", "mcpServers"}
}

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
func agentModelInto(d *draft) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, _ := v.Trimmed()
		if s == "inherit" {
			return nil
		}
		if name, ok := strings.CutSuffix(strings.ToLower(s), "[1m]"); ok && ownerOf(name) == "anthropic" {
			d.windowed, d.agent.Model = name, Model{Provider: "anthropic", Name: name}
			return nil
		}
		return parsedInto(&d.agent.Model, ParseModel)(v)
	}
}

// finish fills in what the agent gets from its team.
func (d draft) finish(t *Team, shared []string) Agent {
	if d.kept != nil {
		return *d.kept
	}
	a := d.agent
	a.Lines = d.lines
	a.Description = shorten(a.Description)
	a.Limits = d.limits.over(t.Limits)
	a.MCPServers = d.mcpServers(t)
	if d.lines["toolsets"] == 0 {
		a.Toolsets = t.Toolsets
	}
	a.takeRole(d.lines)
	a.Common = join(shared)
	a.Knowledge = join([]string{a.Memory, a.Common})
	switch {
	case a.Kind != parley.Native:
		a.Model = Model{}
	case a.Model == Model{}:
		a.Model = t.Model
	}
	return a
}

// join puts texts below each other, with an empty line between them.
// WithMemory is the agent with another MEMORY.md.
func (a Agent) WithMemory(text string) Agent {
	a.Memory, a.Remembers = text, true
	a.Knowledge = join([]string{text, a.Common})
	return a
}

// MemoryFile is the agent's MEMORY.md, relative to the team's folder; empty for an agent
// that is a single file.
func (a Agent) MemoryFile() string {
	if dir := path.Dir(a.File); dir != agentsDir && path.Base(a.File) == agentFile {
		return path.Join(dir, memoryFile)
	}
	return ""
}

func join(texts []string) string {
	var filled []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			filled = append(filled, t)
		}
	}
	return strings.Join(filled, "\n\n")
}
