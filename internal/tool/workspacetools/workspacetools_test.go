package workspacetools

import (
	"encoding/json"
	"testing"

	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/tooltest"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

func TestToolset(t *testing.T) {
	w := newWorld(t)
	tooltest.Described(t, Reading(w.space), "read_file", "glob", "grep", "list_symbols")
	tooltest.Described(t, New(w.space, workspace.Access{}), "read_file", "glob", "grep", "list_symbols", "replace_block", "write_file")
	w.space.Sandbox = &sandbox.Sandbox{}
	tooltest.Described(t, New(w.space, workspace.Access{}), "read_file", "glob", "grep", "list_symbols", "replace_block", "write_file", "shell")
	for _, tl := range Reading(w.space) {
		if !tl.Replays {
			t.Errorf("%s cannot be repeated after a crash", tl.Name)
		}
	}
}

// What each call is to the rules, and what the presets and read mode say to it.
func TestActions(t *testing.T) {
	w := newWorld(t)
	w.space.Sandbox = &sandbox.Sandbox{}
	set := New(w.space, workspace.Access{})
	for _, c := range []struct {
		tool, args, action string
		standard           policy.Verdict
	}{
		{"read_file", `{"path": "./src/../src/a.go"}`, "tool:file_read:src/a.go", policy.Allow},
		{"read_file", `nonsense`, "tool:file_read:.", policy.Allow},
		{"glob", `{"pattern": "src/**"}`, "tool:file_read:src/**", policy.Allow},
		{"grep", `{"pattern": "x", "path": "src"}`, "tool:file_read:src", policy.Allow},
		{"grep", `{"pattern": "x"}`, "tool:file_read:.", policy.Allow},
		{"list_symbols", `{"path": "a.go"}`, "tool:file_read:a.go", policy.Allow},
		{"replace_block", `{"path": "a.go"}`, "tool:file_write:a.go", policy.NeedsApproval},
		{"write_file", `{"path": "x/../a.go"}`, "tool:file_write:a.go", policy.NeedsApproval},
		{"shell", `{"command": "go build ./..."}`, "tool:shell:go build ./...", policy.NeedsApproval},
		{"shell", `{"command": "go build ./...", "folder": "./web/"}`, "tool:shell:cd web && go build ./...", policy.NeedsApproval},
		{"shell", `{"command": "go build ./...", "folder": "web/.."}`, "tool:shell:go build ./...", policy.NeedsApproval},
		{"shell", `{"command": 3}`, "tool:shell:", policy.NeedsApproval},
	} {
		tl, _ := tool.Find(set, c.tool)
		action, ok := tl.ActionOf(json.RawMessage(c.args))
		if !ok || action != c.action {
			t.Errorf("%s %s is %q", c.tool, c.args, action)
		}
		who := &policy.Party{Name: "writer", Key: "writer", Rules: &policy.Rules{}}
		if got := policy.Authorize(who, policy.Call{Action: action}).Verdict; got != c.standard {
			t.Errorf("standard says %v to %s", got, action)
		}
		who.Rules = &policy.Rules{ReadOnly: true}
		if got := policy.Authorize(who, policy.Call{Action: action}).Verdict; (got == policy.Deny) == tl.Replays {
			t.Errorf("read mode says %v to %s", got, action)
		}
	}
}

func TestShellRefusesWhatIsNoCommand(t *testing.T) {
	w := newWorld(t)
	w.space.Sandbox = &sandbox.Sandbox{}
	for _, args := range []map[string]any{{"command": " "}, {"command": "a\x00b"}, {"command": "a", "timeout_seconds": -1}, {"command": "a", "timeout_seconds": 1801}, {"command": []int{1}}} {
		if text, err := w.call("shell", args); err == nil {
			t.Errorf("%v: %s", args, text)
		}
	}
}
