// Package workspacetools is the toolset "workspace": reading, finding and
// changing files, and running commands, all within the team's workspace.
package workspacetools

import (
	"encoding/json"
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

// pathAction names a call for the rules by the path in its arguments, without
// needless dots. Arguments that hold none are refused when the tool reads them.
func pathAction(category string) func(json.RawMessage) string {
	return func(raw json.RawMessage) string {
		var args struct {
			Path    string `json:"path"`
			Pattern string `json:"pattern"`
		}
		_ = tool.Decode(raw, &args)
		if args.Path == "" {
			args.Path = args.Pattern
		}
		return policy.Action(category, path.Clean(args.Path))
	}
}
