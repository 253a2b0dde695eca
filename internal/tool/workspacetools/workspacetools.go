// Package workspacetools is the toolset "workspace": reading, finding and
// changing files, and running commands, all within the team's workspace.
package workspacetools

import (
	"path"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
)

// New makes the toolset of an agent that may write. Where no command can be run,
// there is no shell.
func New(w *workspace.Workspace, a workspace.Access) []tool.Tool {
	set := append(Reading(w), replaceBlock(w, a), writeFile(w, a))
	if w.Sandbox != nil {
		set = append(set, shell(w))
	}
	return set
}

// Reading makes the toolset of an agent in read mode: it has nothing in it that
// changes anything.
func Reading(w *workspace.Workspace) []tool.Tool {
	return []tool.Tool{readFile(w), glob(w), grep(w), listSymbols(w)}
}

// pathAction names a call for the rules by a path, without needless dots. A path
// that makes no sense is refused when the tool runs.
func pathAction(category, name string) string { return policy.Action(category, path.Clean(name)) }
