package app

import (
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/access"
	"parley/internal/mcpserver"
	"parley/internal/tool"
)

// inboxSet is the toolset of everybody who fetches their messages, deciding that of those
// among them who decide about approvals.
const (
	inboxSet = "inbox"
	deciding = "deciding"
	loomSet  = "loom/outside" // what is different in the set loom
)

// outsideSets are the toolsets of a member who works outside of the hub. Those for the
// inbox come first: their read_inbox takes the place of the one for turns.
func outsideSets(m Member) []string {
	sets := ownSets(m)
	if len(sets) == 0 {
		sets = []string{"contact"}
	}
	if m.Kind == parley.Person {
		sets = append(slices.Clone(sets), managing)
	}
	if slices.Contains(sets, managing) {
		sets = append(slices.Clone(sets), deciding)
	}
	if slices.Contains(sets, "loom") {
		sets = append([]string{loomSet}, sets...)
	}
	return append([]string{inboxSet}, sets...)
}

// outsideTools are the tools of such a member. What only a turn can do is left out.
func (a *agents) outsideTools(m Member, own toolsets, combined map[string][]tool.Tool) []tool.Tool {
	tools := slices.DeleteFunc(slices.Clone(a.combine(outsideSets(m), own, combined)), func(t tool.Tool) bool { return t.Name == "ask_user" })
	if m.Tools == nil {
		return tools
	}
	kept := m
	kept.Tools = slices.Clone(m.Tools)
	for _, t := range slices.Concat(a.sets[inboxSet], a.sets[deciding]) {
		kept.Tools = append(kept.Tools, t.Name)
	}
	return a.limit(tools, kept)
}

// MCPConfig is what the hub does not know of its own about the door for MCP clients.
type MCPConfig struct {
	// Identify says who makes a request.
	Identify     func(*http.Request) (access.Caller, error)
	Headers      func(error) http.Header // further ones of a refusal; may be nil
	MessageBytes int
	Progress     time.Duration // between two signs of life of a call; 0 is the default
	Extend       func(*mcp.Server)
}

// MCP makes the door for MCP clients. It hears of changes of the tools. There is one.
func (h *Hub) MCP(cfg MCPConfig) *mcpserver.Door {
	door := mcpserver.New(mcpserver.Config{
		Identify: cfg.Identify, Headers: cfg.Headers, Tools: h.agents.ToolsOf, Rules: h.Access, Desk: h.Desk,
		Reading: h.Reading, Keepers: h.Keepers, Contacts: h.Contacts, Bus: h.Store.Bus(),
		MessageBytes: cfg.MessageBytes, Version: Version(), Log: h.log, Progress: cfg.Progress, Extend: cfg.Extend,
	})
	h.agents.onChange(door.Refresh)
	return door
}

// onChange has fn called when the tools of somebody may have changed.
func (a *agents) onChange(fn func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed = fn
}
