package app

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/mcpclient"
	"parley/internal/tool"
	"parley/internal/tool/workspacetools"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// OutsideServer is an MCP server whose tools a member has.
type OutsideServer struct {
	mcpclient.Server
	// Shared says that all members share one connection. Otherwise the member has its
	// own.
	Shared bool
}

// outside connects members with outside servers.
type outside struct {
	servers *mcpclient.Servers

	mu       sync.Mutex
	conns    map[outsideKey]outsideConn
	replaced []*mcpclient.Conn // by newer ones with the same key
}

type outsideKey struct {
	team  parley.TeamID
	owner string // empty for a shared one
	name  string
}

type outsideConn struct {
	def  mcpclient.Server
	conn *mcpclient.Conn
}

func newOutside(log *slog.Logger) *outside {
	return &outside{servers: mcpclient.New(log), conns: map[outsideKey]outsideConn{}}
}

// servers is the set of servers in use.
type servers map[outsideKey]bool

// connect finds or makes the connections to a member's servers, and adds them to
// used.
func (o *outside) connect(team parley.TeamID, m Member, used servers) (list []*mcpclient.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range m.Servers {
		key := outsideKey{team, parley.FoldName(m.Name), s.Name}
		if s.Shared {
			key.owner = ""
		}
		known, ok := o.conns[key]
		if ok && !reflect.DeepEqual(known.def, s.Server) {
			o.replaced = append(o.replaced, known.conn)
			ok = false
		}
		if !ok {
			known = outsideConn{s.Server, o.servers.Add(s.Server)}
			o.conns[key] = known
		}
		used[key] = true
		list = append(list, known.conn)
	}
	return list
}

// end closes the servers of a team that are no longer in use. Call it when nobody can
// find them any more.
func (o *outside) end(team parley.TeamID, used servers) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, conn := range o.replaced {
		o.servers.End(conn)
	}
	o.replaced = nil
	for key, known := range o.conns {
		if key.team == team && !used[key] {
			o.servers.End(known.conn)
			delete(o.conns, key)
		}
	}
}

// startPatience is how long a turn waits for servers that are just starting.
const startPatience = 10 * time.Second

// whenReady waits until the tools of the servers are known. Only the first turns after
// the start of the hub have to wait.
func whenReady(conns []*mcpclient.Conn) {
	if len(conns) == 0 {
		return
	}
	timer := time.NewTimer(startPatience)
	defer timer.Stop()
	for _, c := range conns {
		select {
		case <-c.Ready():
		case <-timer.C:
			return
		}
	}
}

// allowed keeps the tools that a list of names allows; nil allows all.
func allowed(tools []tool.Tool, only []string) []tool.Tool {
	if only == nil {
		return tools
	}
	var kept []tool.Tool
	for _, t := range tools {
		if slices.ContainsFunc(only, func(name string) bool { return names(name, t.Name) }) {
			kept = append(kept, t)
		}
	}
	return kept
}

// names reports whether an entry of a list names the tool.
func names(entry, tool string) bool {
	if beginning, open := strings.CutSuffix(entry, "*"); open {
		return strings.HasPrefix(tool, beginning)
	}
	return entry == tool
}

// outsideServers returns the servers in an agent's files.
func outsideServers(a *config.Agent) (list []OutsideServer) {
	for _, s := range a.MCPServers {
		list = append(list, OutsideServer{Shared: s.Shared, Server: mcpclient.Server{
			Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Dir,
			URL: s.URL, Headers: s.Headers, TrustReads: s.TrustReads, Timeout: s.Timeout,
		}})
	}
	return list
}

// ServerCheck is the result of trying one server.
type ServerCheck struct {
	mcpclient.State
	// File is the file that describes it.
	File string
	// Unsandboxed means that it is a process without a sandbox.
	Unsandboxed bool
}

// CheckServers tries every server of the team's agents: it starts each, lists its tools
// and ends it again.
func CheckServers(ctx context.Context, team *config.Team) []ServerCheck {
	boxes, remove := checkBoxes(team)
	defer remove()
	var checks []ServerCheck
	var servers []mcpclient.Server
	seen := map[string]bool{}
	for _, a := range team.Agents {
		for _, s := range boxes.servers(team, a) {
			file := a.File
			if s.Shared {
				file = config.TeamFile
			}
			if key := file + " " + s.Name; a.Kind == parley.Native && !seen[key] {
				seen[key] = true
				unboxed := s.Command != "" && s.Box == nil && s.Refused == ""
				checks, servers = append(checks, ServerCheck{File: file, Unsandboxed: unboxed}), append(servers, s.Server)
			}
		}
	}
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { checks[i].State = mcpclient.Check(ctx, s, slog.New(slog.DiscardHandler)) })
	}
	all.Wait()
	return checks
}

// checkBoxes are sandboxes for a check. They use the caches of the team's servers, but if
// there is no data folder yet, they leave nothing behind.
func checkBoxes(team *config.Team) (boxes *serverBoxes, remove func()) {
	if _, err := os.Stat(team.Data); err == nil {
		return &serverBoxes{}, func() {}
	}
	dir, err := os.MkdirTemp("", "parley-doctor")
	if err != nil {
		return &serverBoxes{}, func() {}
	}
	return &serverBoxes{folder: dir}, func() { _ = os.RemoveAll(dir) }
}

// allowedTools are the tools that the agent's file leaves it. An agent of Claude Code's
// keeps those of the toolset contact, which its list could not name.
func allowedTools(a *config.Agent) []string {
	list := a.AllowedTools()
	if a.ForeignTools() {
		for _, t := range builtIn(&Hub{})["contact"] {
			list = append(list, t.Name)
		}
	}
	return list
}

// CheckTools warns about names under tools: that are no tools of this version, or that
// the agent does not have.
func CheckTools(team *config.Team) (warnings []config.Problem) {
	sets := builtIn(&Hub{})
	// The start of the workspace says whether this machine has a shell.
	sets[workspaceSet] = workspacetools.New(&workspace.Workspace{Config: workspace.Config{Sandbox: &sandbox.Sandbox{}}}, workspace.Access{})
	for _, a := range team.Agents {
		if a.Kind != parley.Native {
			continue
		}
		allowed := a.AllowedTools()
		for i, name := range allowed {
			if why := sets.missing(a, name); why != "" {
				warnings = append(warnings, config.Problem{File: a.File, Message: "tools: " + a.Tools[i] + why})
			}
		}
	}
	return warnings
}

// missing says why an entry of tools: gives the agent nothing; empty if it does.
func (sets toolsets) missing(a *config.Agent, entry string) string {
	for _, s := range a.MCPServers {
		if strings.HasPrefix(entry, s.Name+"__") {
			return "" // its tools are known only when it runs
		}
	}
	elsewhere := ""
	for set, tools := range sets {
		if set == managing || !slices.ContainsFunc(tools, func(t tool.Tool) bool { return names(entry, t.Name) }) {
			continue
		}
		if slices.Contains(a.Toolsets, set) {
			return ""
		}
		elsewhere = set
	}
	if elsewhere != "" {
		return " belongs to the toolset " + elsewhere + ", which the agent does not have."
	}
	if server, _, ok := strings.Cut(entry, "__"); ok {
		return " belongs to the server " + server + ", which the agent does not have."
	}
	return " is not a tool of this version."
}
