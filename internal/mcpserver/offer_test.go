package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/app"
)

// Clients decide by what they are told of a tool whether they call it, ask their user, or
// show it at all.
func TestToolsAreDescribedAsClientsNeedIt(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"CoderBot", "ToolBot", "Ada"} {
		list, err := w.connect(name, alone, nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tl := range list.Tools {
			hints := tl.Annotations
			if tl.Title == "" || tl.Description == "" || hints == nil || hints.Title != tl.Title {
				t.Errorf("%s has no title, description or hints", tl.Name)
			}
			if tl.Meta["anthropic/alwaysLoad"] != true {
				t.Errorf("%s: %v", tl.Name, tl.Meta)
			}
			if hints.OpenWorldHint == nil || *hints.OpenWorldHint {
				t.Errorf("%s reaches beyond the team", tl.Name)
			}
			if cautious := tl.Name == "approve_action" || tl.Name == "cancel_task"; cautious != (hints.DestructiveHint == nil) {
				t.Errorf("%s: destructive %v", tl.Name, hints.DestructiveHint)
			}
			schema, err := json.Marshal([]any{tl.InputSchema, tl.OutputSchema})
			if err != nil || strings.Contains(string(schema), `"null"`) || strings.Contains(string(schema), `"type":[`) || strings.Contains(string(schema), "anyOf") {
				t.Errorf("%s: %s, %v", tl.Name, schema, err)
			}
			if tl.OutputSchema == nil {
				t.Errorf("%s does not say what it returns", tl.Name)
			}
		}
	}
}

// What a tool returns is as its schema says, whether it succeeds or fails.
func TestResultsAreAsTheirSchemaSays(t *testing.T) {
	w := newWorld(t)
	id := w.delegate("Ada", "CoderBot", "Count the files.")
	coder := w.connect("CoderBot", withSessions, nil)
	list, err := coder.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tl := range list.Tools {
		raw, err := json.Marshal(tl.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if schemas[tl.Name], err = s.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range []struct {
		name string
		args map[string]any
	}{
		{"wait_for_messages", nil}, {"read_inbox", nil}, {"my_tasks", nil}, {"list_agents", nil}, {"list_agents", map[string]any{"x": 1}},
		{"task_update", map[string]any{"task_id": id.String(), "note": "Half."}}, {"ack", map[string]any{"messages": []string{"msg-1"}}}, {"ack", nil},
		{"contact_agent", map[string]any{"action": "notify", "agentId": "DataBot", "message": "Hi."}},
		{"task_complete", map[string]any{"task_id": id.String(), "result": "Done."}}, {"task_fail", map[string]any{"task_id": id.String(), "reason": "Late."}},
	} {
		res := coder.call(call.name, call.args)
		if err := schemas[call.name].Validate(res.StructuredContent); err != nil {
			t.Errorf("%s: %v in %v", call.name, err, res.StructuredContent)
		}
		if _, ok := res.StructuredContent.(map[string]any)["unread"].(float64); !ok {
			t.Errorf("%s does not say how much is unread", call.name)
		}
	}
}

// A client that holds one task works on it. One that holds several says which.
func TestAContactIsForATask(t *testing.T) {
	w := newWorld(t)
	coder := w.connect("CoderBot", alone, nil)
	first := w.delegate("Ada", "CoderBot", "Count the files.")
	coder.says("wait_for_messages", nil)
	ask := func(args map[string]any) *mcp.CallToolResult {
		args["action"], args["agentId"], args["message"] = "delegate", "DataBot", "How many?"
		return coder.call("contact_agent", args)
	}
	children := func(want int) {
		t.Helper()
		if tree, err := w.hub.Reading.Tree(t.Context(), w.caller("Ada"), first); err != nil || len(tree)-1 != want {
			t.Errorf("%s has %d tasks below it, want %d (%v)", first, len(tree)-1, want, err)
		}
	}
	if res := ask(map[string]any{}); res.IsError {
		t.Error(textOf(res))
	}
	children(1)
	second := w.delegate("Ada", "CoderBot", "Count the folders.")
	coder.says("wait_for_messages", map[string]any{})
	if res := ask(map[string]any{}); !res.IsError || !strings.Contains(textOf(res), "You hold several tasks: "+first.String()+", "+second.String()) {
		t.Error(textOf(res))
	}
	children(1)
	for _, which := range []string{first.String(), second.String(), "none"} {
		if res := ask(map[string]any{"task_id": which}); res.IsError {
			t.Error(textOf(res))
		}
	}
	children(2)
	if res := ask(map[string]any{"task_id": 7}); !res.IsError {
		t.Error("a number is no task")
	}
}

func TestEveryResultSaysHowMuchIsUnread(t *testing.T) {
	w := newWorld(t)
	coder := w.connect("CoderBot", alone, nil)
	unread := func() float64 {
		return coder.call("list_agents", nil).StructuredContent.(map[string]any)["unread"].(float64)
	}
	if n := unread(); n != 0 {
		t.Error(n)
	}
	w.delegate("Ada", "CoderBot", "Count the files.")
	res := coder.call("list_agents", nil)
	if n := unread(); n != 1 {
		t.Error(n)
	}
	if shown := res.Content[0].(*mcp.TextContent).Text; !strings.HasSuffix(shown, "[1 message waits for you; wait_for_messages shows it.]") {
		t.Error(shown)
	}
	cursor := coder.call("wait_for_messages", nil).StructuredContent.(map[string]any)["cursor"]
	if n := unread(); n != 1 { // it was not confirmed
		t.Error(n)
	}
	coder.says("ack", map[string]any{"cursor": cursor})
	if n := unread(); n != 0 {
		t.Error(n)
	}
}

// A client puts away what it passes, since the hub does not see its conversation.
func TestAClientPutsItsOwnMessagesAway(t *testing.T) {
	w := newWorld(t)
	w.rejoin(func(m *app.Member) {
		if m.Name == "CoderBot" {
			m.Toolsets = []string{"contact", "loom"}
		}
	})
	coder := w.connect("CoderBot", alone, nil)
	said := []string{"user: Which port?", "assistant: 7420.", "tool: listening", "user: Thanks."}
	if text := coder.says("context_offload", map[string]any{"topic": "ports", "messages": said}); !strings.Contains(text, "Offloaded 4 messages.") {
		t.Error(text)
	}
	if text := coder.says("context_retrieve", map[string]any{"query": "port", "mode": "raw"}); !strings.Contains(text, "[user]: Which port?") {
		t.Error(text)
	}
	if res := coder.call("context_offload", map[string]any{"topic": "ports", "messages": []string{"nobody: x", "y"}}); !res.IsError {
		t.Error(textOf(res))
	}
}
