// Package workspace is the folder that a team's agents work in: reading, finding and
// changing files, and running commands.
//
// No path and no link leads out of it. A path is walked folder by folder. Each folder
// is opened within the one before and compared with what was looked at, so that
// nobody can replace a folder with a link in between. Protected files are recognised
// by identity, not by spelling: the hub's data and parley.yaml can be neither read
// nor written; agents/, .git, AGENTS.md and CLAUDE.md cannot be written.
//
// A change must be based on what was read: it carries the digest that reading showed,
// and is refused as stale if the file has changed since. Nothing is remembered
// between calls, so a turn that continues in another process needs nothing from here.
package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"parley"
	"parley/internal/workspace/sandbox"
)

// Config says where a workspace is. All paths are absolute.
type Config struct {
	Folder string
	// Team is the folder with parley.yaml and agents/.
	Team string
	// Hidden are the hub's own files and folders: its data, its database.
	Hidden []string
	// Sandbox runs commands; nil if they cannot be run here.
	Sandbox *sandbox.Sandbox
	// Memory says that the folder holds what agents remember, and nothing else is done in
	// it: nothing is protected from the hub itself.
	Memory bool
}

// Workspace is safe for concurrent use.
type Workspace struct {
	Config
	root *os.Root
	// programs are files that servers are started with.
	programs atomic.Pointer[[]string]
	// writing makes our own checks and changes of a file atomic.
	writing sync.Mutex
	home    string // names the folder among all machines
	looking looking
	guides  guides
	covers  covers
}

// Access is what an agent may do here.
type Access struct {
	// Shared lets it write into agents/_shared.
	Shared bool
}

// Open opens a workspace.
func Open(cfg Config) (*Workspace, error) {
	cfg = cfg.resolved()
	root, err := os.OpenRoot(cfg.Folder)
	if err != nil {
		return nil, parley.Errorf(parley.NotFound, "The workspace %s cannot be opened.", cfg.Folder).
			WithHint("Make the folder, or name another one as workspace in parley.yaml.").WithCause(err)
	}
	w := &Workspace{Config: cfg, root: root, home: hostHome(cfg.Folder)}
	if !w.Memory {
		w.sweepCovers()
	}
	return w, nil
}

// Home names the folder so that it is unique among all machines.
func (w *Workspace) Home() string { return w.home }

func (w *Workspace) kind() parley.ChangePlace {
	if w.Memory {
		return parley.InMemory
	}
	return parley.InWorkspace
}

// Protect names the programs and scripts in the workspace that outside servers are
// started with, instead of those named before. Agents can read but not write them:
// whoever writes them decides what a server does.
func (w *Workspace) Protect(files []string) {
	programs := make([]string, len(files))
	for i, file := range files {
		programs[i] = resolve(file)
	}
	w.programs.Store(&programs)
}

func (w *Workspace) protected() []string {
	if programs := w.programs.Load(); programs != nil {
		return *programs
	}
	return nil
}

func (w *Workspace) Close() error { return w.root.Close() }

// resolved returns the configuration with links resolved in all paths, so that paths
// can be compared.
func (c Config) resolved() Config {
	c.Folder, c.Team = resolve(c.Folder), resolve(c.Team)
	hidden := make([]string, len(c.Hidden))
	for i, p := range c.Hidden {
		hidden[i] = resolve(p)
	}
	c.Hidden = hidden
	return c
}

// resolve follows the links of a path as far as it exists.
func resolve(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	dir := filepath.Dir(name)
	if dir == name {
		return name
	}
	return filepath.Join(resolve(dir), filepath.Base(name))
}

// Names of protected files and folders in a team's folder.
const (
	teamFile     = "parley.yaml"
	agentsFolder = "agents"
	sharedFolder = "_shared"
	gitFolder    = ".git"
)

// Confine returns what commands may not change and may not see of a workspace.
func Confine(cfg Config) (readOnly, hidden []string) {
	cfg = cfg.resolved()
	readOnly = []string{filepath.Join(cfg.Folder, gitFolder), filepath.Join(cfg.Team, agentsFolder)}
	readOnly = append(readOnly, guidePaths(cfg.Folder)...)
	hidden = append([]string{filepath.Join(cfg.Team, teamFile)}, cfg.Hidden...)
	return readOnly, hidden
}

// reason is the text of a system error without its path.
func reason(err error) string {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
