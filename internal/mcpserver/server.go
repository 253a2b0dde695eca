package mcpserver

import (
	"bytes"
	"context"
	_ "embed"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/access"
	"parley/internal/tool"
)

//go:embed instructions.md
var instructions string

// server answers one participant, for a session or for one request.
type server struct {
	*mcp.Server
	door   *Door
	caller access.Caller

	mu    sync.Mutex
	tools []tool.Tool // that the client was offered
	// watched are the resources that the client wants to hear about, with what they were
	// like.
	watched  map[string]watch
	watching bool // somebody looks after them
}

// newServer makes the server for one request.
func (d *Door) newServer(v *visit) *server { return d.build(v, mcp.ServerOptions{}) }

// newSessionServer makes the server of the session with this id.
func (d *Door) newSessionServer(v *visit, id string) *server {
	return d.build(v, mcp.ServerOptions{GetSessionID: func() string { return id }})
}

func (d *Door) build(v *visit, options mcp.ServerOptions) *server {
	s := &server{door: d, caller: v.caller, watched: map[string]watch{}}
	options.Instructions = instructions
	//lint:ignore SA1019 older clients ask whether they may set a level
	logging := &mcp.LoggingCapabilities{}
	options.Capabilities = &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Logging: logging}
	options.SubscribeHandler, options.UnsubscribeHandler = s.subscribe, s.unsubscribe
	options.CompletionHandler = s.complete
	// Everybody is offered something else, so nobody may keep it for others.
	options.SetCacheable = func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }
	s.Server = mcp.NewServer(&mcp.Implementation{Name: "parley", Title: "parley", Version: d.cfg.Version}, &options)
	s.refresh()
	s.addResources()
	s.addPrompts()
	if d.cfg.Extend != nil {
		d.cfg.Extend(s.Server)
	}
	return s
}

// refresh offers the tools that the participant has now. Clients are told of a change.
func (s *server) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.door.cfg.Tools(s.caller.Agent)
	if same(s.tools, now) {
		return
	}
	added, gone := changes(s.tools, now)
	for _, t := range added {
		s.AddTool(s.door.offer(t), s.door.handler(t))
	}
	if len(gone) > 0 {
		s.RemoveTools(gone...)
	}
	s.tools = now
}

// same reports whether two lists are one: a list is not changed once it was made.
func same(a, b []tool.Tool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// changes says which tools are new, or different, and which are gone.
func changes(before, now []tool.Tool) (added []tool.Tool, gone []string) {
	for _, t := range now {
		if old, ok := tool.Find(before, t.Name); !ok || old.Description != t.Description || !bytes.Equal(old.Schema, t.Schema) {
			added = append(added, t)
		}
	}
	for _, t := range before {
		if _, ok := tool.Find(now, t.Name); !ok {
			gone = append(gone, t.Name)
		}
	}
	return added, gone
}
