package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/mcpclient"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// serverBoxes makes the sandboxes of outside servers. A server has the network and a
// folder of its own for its home, its caches and its temporary files. It sees the
// workspace as its agents may, its own program, and nothing of the hub.
type serverBoxes struct {
	folder string // holds the servers' own folders; within the data folder if empty

	mu     sync.Mutex
	looked bool
	kind   *sandbox.Sandbox // nil if none works here
	reason error
}

// boxTime is how long it may take to find out which sandbox works.
const boxTime = 20 * time.Second

// servers are the servers of an agent's files, each with its sandbox.
func (b *serverBoxes) servers(team *config.Team, a *config.Agent) []OutsideServer {
	list := outsideServers(a)
	for i := range list {
		s := &list[i]
		if s.Command == "" || a.MCPServers[i].Unsandboxed {
			continue
		}
		var err error
		if s.Box, err = b.box(team, a, *s); err != nil {
			s.Refused = parley.Public(err)
		}
	}
	return list
}

// errNoBox says that a server is not started.
var errNoBox = parley.Errorf(parley.Unavailable, "there is no sandbox for it on this machine: neither bubblewrap nor Landlock works; "+
	"sandbox: off in its description starts it without one")

func (b *serverBoxes) box(team *config.Team, a *config.Agent, s OutsideServer) (*sandbox.Sandbox, error) {
	kind, err := b.find(team)
	if err != nil {
		return nil, err
	}
	cfg := b.config(team)
	owner := "of-" + parley.FoldName(a.Name) // a name alone might be two dots
	if s.Shared {
		owner = "shared"
	}
	cfg.Scratch = filepath.Join(b.folderOf(team), owner, s.Name)
	cfg.ReadsOnly = readsOnly(team, a, s)
	cfg.Shown = shown(team, s.Dir)
	for _, file := range s.Files() {
		cfg.Readable = append(cfg.Readable, sandbox.Surroundings(file)...)
	}
	return kind.For(cfg)
}

// config is what all servers have in common.
func (b *serverBoxes) config(team *config.Team) sandbox.Config {
	readOnly, hidden := workspace.Confine(workspaceConfig(team))
	return sandbox.Config{Workspace: team.Workspace.Folder, ReadOnly: slices.Concat(readOnly, serverFiles(team)), Hidden: hidden,
		Readable: slices.Concat(team.Workspace.Readable, mcpclient.Certificates()), Network: true}
}

func (b *serverBoxes) folderOf(team *config.Team) string {
	if b.folder != "" {
		return b.folder
	}
	return filepath.Join(team.Data, "servers")
}

// find finds once which sandbox works.
func (b *serverBoxes) find(team *config.Team) (*sandbox.Sandbox, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.looked {
		ctx, cancel := context.WithTimeout(context.Background(), boxTime)
		defer cancel()
		cfg := b.config(team)
		cfg.Scratch = filepath.Join(b.folderOf(team), "try")
		b.kind, b.reason = sandbox.Find(ctx, cfg)
		if parley.KindOf(b.reason) == parley.Unavailable {
			b.reason = errNoBox.WithCause(b.reason)
		}
		b.looked = true
	}
	return b.kind, b.reason
}

// readsOnly reports whether one of the agents that a server works for must not change
// the workspace.
func readsOnly(team *config.Team, a *config.Agent, s OutsideServer) bool {
	if !s.Shared {
		return a.Mode == "read"
	}
	return slices.ContainsFunc(team.Agents, func(other *config.Agent) bool {
		return other.Kind == parley.Native && other.Mode == "read" &&
			slices.ContainsFunc(other.MCPServers, func(o config.MCPServer) bool { return o.Shared && o.Name == s.Name })
	})
}

// shown are the folders that a server sees besides the workspace: the team's and the one
// that it runs in. A home is not shown as a whole.
func shown(team *config.Team, dir string) (paths []string) {
	space := resolved(team.Workspace.Folder)
	home, err := os.UserHomeDir()
	for _, path := range []string{resolved(team.Dir), resolved(dir)} {
		if inside(space, path) || err == nil && inside(path, home) && path != resolved(team.Dir) || slices.Contains(paths, path) {
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

// serverFiles are the files in the workspace that the team's servers are started with,
// and the commands that tell people.
func serverFiles(team *config.Team) (files []string) {
	space := resolved(team.Workspace.Folder)
	add := func(_ string, s mcpclient.Server) {
		for _, file := range s.Files() {
			if at := resolved(file); inside(space, at) && !slices.Contains(files, at) {
				files = append(files, at)
			}
		}
	}
	eachServer(team, add)
	eachNotifyCommand(team, add)
	return files
}

// eachServer calls a function once for every server of the team's agents that is a
// process, with the file that describes it.
func eachServer(team *config.Team, do func(file string, s mcpclient.Server)) {
	seen := map[string]bool{}
	for _, a := range team.Agents {
		for _, s := range outsideServers(a) {
			file := a.File
			if s.Shared {
				file = config.TeamFile
			}
			if key := file + " " + s.Name; a.Kind == parley.Native && s.Command != "" && !seen[key] {
				seen[key] = true
				do(file, s.Server)
			}
		}
	}
}
