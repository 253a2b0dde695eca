package tool_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/tool"
	"parley/internal/tool/chorustools"
	"parley/internal/tool/contacttools"
	"parley/internal/tool/desktools"
	"parley/internal/tool/loomtools"
	"parley/internal/tool/memorytools"
	"parley/internal/tool/peertools"
	"parley/internal/tool/workspacetools"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

var update = flag.Bool("update", false, "write the golden files")

// toolset is one of the sets that the hub has, without anything behind its tools.
type toolset struct {
	name  string
	tools []tool.Tool
}

func toolsets() []toolset {
	space := &workspace.Workspace{Config: workspace.Config{Sandbox: &sandbox.Sandbox{}}}
	return []toolset{
		{"contact", contacttools.New(nil, nil, nil)},
		{"managing", contacttools.Managing(nil)},
		{"chorus", chorustools.New(nil, nil, nil)},
		{"peers", peertools.New(nil, nil)},
		{"loom", loomtools.New(nil, nil, nil)},
		{"inbox", desktools.New(nil)},
		{"deciding", desktools.Deciding(nil)},
		{"loom outside", loomtools.Outside(nil)},
		{"memory", memorytools.New(nil)},
		{"workspace", workspacetools.New(space, workspace.Access{})},
	}
}

// What a model is told of each tool is pinned: its name, its description and the
// schema of its arguments, in the order in which they are sent.
func TestWhatModelsAreTold(t *testing.T) {
	distinct := map[string]bool{} // two sets share one, and two have one of the same name
	for _, set := range toolsets() {
		var b bytes.Buffer
		for _, tl := range set.tools {
			distinct[tl.Name+tl.Description] = true
			b.WriteString("=== " + tl.Name + "\n" + tl.Description + "\n")
			if err := json.Indent(&b, compact(t, tl.Schema), "", "  "); err != nil {
				t.Fatalf("%s: %v", tl.Name, err)
			}
			b.WriteString("\n")
		}
		golden(t, set.name, b.String())
	}
	if len(distinct) != 51 {
		t.Errorf("there are %d tools", len(distinct))
	}
}

func compact(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.Bytes()
}

// golden compares a text with testdata/NAME.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// all is every tool of every set, by set and name.
func all(yield func(where string, tl tool.Tool) bool) {
	for _, set := range toolsets() {
		for _, tl := range set.tools {
			if !yield(set.name+" "+tl.Name, tl) {
				return
			}
		}
	}
}

// argumentsOf are the names that the schema of a tool has.
func argumentsOf(t *testing.T, tl tool.Tool) []string {
	t.Helper()
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(tl.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(schema.Properties))
}

func TestEveryToolRefusesAnUnknownArgumentAndNamesTheNearest(t *testing.T) {
	for where, tl := range all {
		p := tl.Prepare(json.RawMessage(`{"bogus": 1}`))
		if _, err := p.Run(t.Context(), tool.Call{}); err == nil || !strings.HasPrefix(err.Error(), `Unknown argument "bogus". The`) {
			t.Errorf("%s: %v", where, err)
		}
		for _, name := range argumentsOf(t, tl) {
			wrong := "x" + name
			want := fmt.Sprintf("Unknown argument %q. Did you mean %s", wrong, name)
			err := tl.Prepare(json.RawMessage(`{"` + wrong + `": null}`)).Err
			if err == nil || !strings.HasPrefix(err.Error(), want) || parley.KindOf(err) != parley.Invalid {
				t.Errorf("%s: %v, want %s", where, err, want)
			}
		}
	}
	contact, _ := tool.Find(toolsets()[0].tools, "contact_agent")
	if got := parley.ToolError(contact.Prepare(json.RawMessage(`{"agent": "DataBot"}`)).Err); got != `Error: Unknown argument "agent". Did you mean agentId?` {
		t.Error(got)
	}
}

// aliases are the further names of arguments. No tool has others.
var aliases = map[string]map[string]string{ // by set and tool: the alias, and the argument
	"contact contact_agent":        {"target_agent": "agentId", "target": "agentId"},
	"contact remind":               {"task": "task_id"},
	"contact read_agent_docs":      {"agentId": "target_agent", "target": "target_agent"},
	"contact send_channel_message": {"channelId": "channel"},
	"contact read_channel":         {"channelId": "channel"},
	"contact search_messages":      {"channelId": "channel"},
	"chorus send_to_agent":         {"agentId": "target_agent", "target": "target_agent"},
	"chorus request_from_agent":    {"agentId": "target_agent", "target": "target_agent", "task": "task_description"},
	"chorus read_agent_docs":       {"agentId": "target_agent", "target": "target_agent"},
	"peers call_agent":             {"agentId": "target", "target_agent": "target", "task_description": "task"},
	"loom peer_message":            {"agentId": "target", "target_agent": "target"},
	"loom peer_review":             {"agentId": "target", "target_agent": "target"},
	"loom peer_create_task":        {"agentId": "target", "target_agent": "target"},
	"loom peer_ask_question":       {"agentId": "target", "target_agent": "target"},
	"loom peer_forward_question":   {"agentId": "target", "target_agent": "target"},
}

func TestAliases(t *testing.T) {
	var names []string
	for where, tl := range all {
		names = append(names, argumentsOf(t, tl)...)
		for alias, name := range aliases[where] {
			sameCall(t, where, tl, alias, name)
			if strings.Contains(string(tl.Schema), `"`+alias+`"`) {
				t.Errorf("%s: a model is told of %s", where, alias)
			}
		}
		if got := tl.Prepare(json.RawMessage(`{"team_id": "x"}`)).Err == nil; got != strings.HasPrefix(where, "loom ") {
			t.Errorf("%s takes team_id: %v", where, got)
		}
	}
	slices.Sort(names)
	names = append(slices.Compact(names), "channelId", "channel_id", "agent_id", "agent", "team")
	for where, tl := range all {
		for _, name := range names {
			known := slices.Contains(argumentsOf(t, tl), name) || aliases[where][name] != ""
			if err := tl.Prepare(json.RawMessage(`{"` + name + `": null}`)).Err; (err == nil) != known {
				t.Errorf("%s: %s is known: %v, %v", where, name, known, err)
			}
		}
	}
}

// sameCall makes sure that a call by an alias is the call by the name, to the rules
// and to a turn that counts whom it contacts.
func sameCall(t *testing.T, where string, tl tool.Tool, alias, name string) {
	t.Helper()
	by := func(members string) tool.Prepared { return tl.Prepare(json.RawMessage("{" + members + "}")) }
	want := by(`"` + name + `": "DataBot"`)
	for _, got := range []tool.Prepared{by(`"` + alias + `": "DataBot"`), by(`"` + alias + `": "DataBot", "` + name + `": "DataBot"`)} {
		if got.Err != nil || want.Err != nil || got.Action != want.Action || got.Peer != want.Peer {
			t.Errorf("%s by %s is %+v, by %s it is %+v", where, alias, got, name, want)
		}
	}
	if !strings.Contains(want.Action+want.Peer, "DataBot") && !strings.HasPrefix(name, "task") && name != "channel" {
		t.Errorf("%s: what is asked of the rules does not have %s in it", where, name)
	}
	both := by(`"` + name + `": "DataBot", "` + alias + `": "WriterBot"`)
	if both.Err == nil || both.Err.Error() != name+" and "+alias+" are the same argument, with different values. Give it once." {
		t.Errorf("%s: %v", where, both.Err)
	}
	if strings.Contains(both.Action+both.Peer, "Bot") {
		t.Errorf("%s: a call that is refused is %+v to the rules", where, both)
	}
}

// What people and programs are told of each tool besides: a stranger decides by it
// what to let an agent do.
func TestHints(t *testing.T) {
	const reads, adds, undoes, far = "reads", "adds", "undoes", "undoes, far"
	want := map[string]string{
		"ask_user": adds, "contact_agent": adds, "await_task": adds, "remind": adds, "sleep": adds, "send_channel_message": adds,
		"message_status": reads, "list_agents": reads, "read_agent_docs": reads, "query_workspace": reads, "read_channel": reads, "search_messages": reads, "read_inbox": reads, "read_attachment": reads,
		"cancel_task": undoes, "approve_action": undoes, "deny_action": adds, // what is approved may be anything
		"send_to_agent": adds, "request_from_agent": adds, "call_agent": adds,
		"peer_message": adds, "peer_discovery": adds, "peer_claim_region": adds, "peer_review": adds, "peer_create_task": adds, "peer_intent": adds,
		"peer_plan_revision": adds, "peer_ask_question": adds, "peer_answer_question": adds, "peer_forward_question": adds,
		"context_offload": adds, "context_retrieve": reads,
		// Whoever waits for messages takes the tasks among them.
		"wait_for_messages": adds, "my_tasks": reads, "list_approvals": reads,
		"reply": adds, "ack": adds, "task_complete": adds, "task_fail": adds, "task_update": adds,
		"read_file": reads, "glob": reads, "grep": reads, "list_symbols": reads, "replace_block": undoes, "write_file": undoes, "shell": far, "remember": undoes,
	}
	for where, tl := range all {
		got := map[tool.Hints]string{{ReadOnly: true}: reads, {}: adds, {Destructive: true}: undoes, {Destructive: true, OpenWorld: true}: far}[tl.Hints]
		if got != want[tl.Name] || got == "" {
			t.Errorf("%s: %+v is %q, want %q", where, tl.Hints, got, want[tl.Name])
		}
	}
}
