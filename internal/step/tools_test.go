package step_test

import (
	"encoding/json"
	"slices"
	"testing"

	"parley/internal/step"
	"parley/internal/tool"
	"parley/internal/tool/chorustools"
	"parley/internal/tool/contacttools"
	"parley/internal/tool/loomtools"
	"parley/internal/tool/memorytools"
	"parley/internal/tool/peertools"
	"parley/internal/tool/workspacetools"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// Every tool of the hub's own has a line for people, and is known to run beside others if
// it does: otherwise the time that it took is wrong.
func TestEveryToolHasALine(t *testing.T) {
	space := &workspace.Workspace{Config: workspace.Config{Sandbox: &sandbox.Sandbox{}}}
	all := slices.Concat(contacttools.New(nil, nil, nil), contacttools.Managing(nil), chorustools.New(nil, nil, nil), peertools.New(nil, nil),
		loomtools.New(nil, nil, nil), memorytools.New(nil), workspacetools.New(space, workspace.Access{}))
	for _, tl := range all {
		if !step.Lined(tl.Name) {
			t.Errorf("%s has no line", tl.Name)
		}
		if beside := reads(tl); step.Looks(tl.Name) != beside {
			t.Errorf("%s runs beside others: %v", tl.Name, beside)
		}
	}
}

// reads reports whether calls of a tool may run beside others, by arguments that any of
// them takes.
func reads(tl tool.Tool) bool {
	return tl.Reads(json.RawMessage(`{"path":"a.go","pattern":"a","channel":"#a","target_agent":"A","query":"a","of":"task-1","action":"list_agents","message_id":"msg-1","topic":"a"}`))
}
