package mcpserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/policy"
)

// Nothing of another team can be read, reached or changed, and nothing tells whether it
// exists: the answer is the same as for what there is not.
func TestAnotherTeamDoesNotExist(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			id := w.delegate("Ada", "CoderBot", "Count the secret files.")
			sent, err := w.hub.Contacts.Notify(t.Context(), w.caller("Ada"), contact.Request{Target: "CoderBot", Message: "A secret."})
			if err != nil {
				t.Fatal(err)
			}
			spy := w.connect("SpyBot", version, nil)
			for _, try := range []struct {
				tool        string
				args, empty map[string]any // what there is, and what there is not
			}{
				{"task_complete", map[string]any{"task_id": id.String(), "result": "Mine."}, map[string]any{"task_id": "task-999", "result": "Mine."}},
				{"task_fail", map[string]any{"task_id": id.String(), "reason": "No."}, map[string]any{"task_id": "task-999", "reason": "No."}},
				{"task_update", map[string]any{"task_id": id.String(), "note": "Half."}, map[string]any{"task_id": "task-999", "note": "Half."}},
				{"cancel_task", map[string]any{"task_id": id.String()}, map[string]any{"task_id": "task-999"}},
				{"remind", map[string]any{"task_id": id.String(), "after": "1h"}, map[string]any{"task_id": "task-999", "after": "1h"}},
				{"reply", map[string]any{"message": sent.Message.String(), "text": "Hi."}, map[string]any{"message": "msg-999", "text": "Hi."}},
				{"message_status", map[string]any{"message_id": sent.Message.String()}, map[string]any{"message_id": "msg-999"}},
				{"contact_agent", map[string]any{"action": "notify", "agentId": "CoderBot", "message": "Hi."}, map[string]any{"action": "notify", "agentId": "NoBot", "message": "Hi."}},
				{"contact_agent", map[string]any{"action": "notify", "agentId": "Eve", "message": "Hi.", "task_id": id.String()},
					map[string]any{"action": "notify", "agentId": "Eve", "message": "Hi.", "task_id": "task-999"}},
			} {
				is, isnt := spy.call(try.tool, try.args), spy.call(try.tool, try.empty)
				names := strings.NewReplacer(id.String(), "X", "task-999", "X", sent.Message.String(), "X", "msg-999", "X", "CoderBot", "X", "NoBot", "X")
				if !is.IsError || names.Replace(textOf(is)) != names.Replace(textOf(isnt)) {
					t.Errorf("%s: %q, and of nothing %q", try.tool, textOf(is), textOf(isnt))
				}
			}
			spy.says("ack", map[string]any{"messages": []string{sent.Message.String()}}) // changes nothing of others
			for _, uri := range []string{"parley://tasks/" + id.String(), "parley://agents/CoderBot", "parley://channels/standup"} {
				res, err := spy.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if text := contentOf(res); err == nil && (strings.Contains(text, "secret") || strings.Contains(text, "CoderBot")) {
					t.Errorf("%s: %s", uri, text)
				}
			}
			coder := w.connect("CoderBot", version, nil)
			if text := coder.says("wait_for_messages", nil); !strings.Contains(text, "A secret.") || !strings.Contains(text, "secret files") {
				t.Error("what is CoderBot's was changed:", text)
			}
		})
	}
}

func contentOf(res *mcp.ReadResourceResult) string {
	if res == nil || len(res.Contents) == 0 {
		return ""
	}
	return res.Contents[0].Text
}

// Within a team nobody finishes the work of another or speaks for it.
func TestNobodyActsAsAnother(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			sent, err := w.hub.Contacts.Notify(t.Context(), w.caller("Ada"), contact.Request{Target: "CoderBot", Message: "For you alone."})
			if err != nil {
				t.Fatal(err)
			}
			other := w.connect("ToolBot", version, nil)
			for tool, args := range map[string]map[string]any{
				"cancel_task":    {"task_id": id.String()},
				"remind":         {"task_id": id.String(), "after": "1h"},
				"reply":          {"message": sent.Message.String(), "text": "Mine."},
				"message_status": {"message_id": sent.Message.String()},
			} {
				if res := other.call(tool, args); !res.IsError || strings.Contains(textOf(res), "alone") {
					t.Errorf("%s: %s", tool, textOf(res))
				}
			}
			other.says("ack", map[string]any{"messages": []string{sent.Message.String()}}) // changes nothing of others
			for tool, args := range map[string]map[string]any{
				"task_complete": {"task_id": id.String(), "result": "Mine."},
				"task_fail":     {"task_id": id.String(), "reason": "No."},
				"task_update":   {"task_id": id.String(), "note": "Half."},
				"contact_agent": {"action": "notify", "agentId": "DataBot", "message": "Hi.", "task_id": id.String()},
			} {
				if res := other.call(tool, args); !res.IsError || !strings.Contains(textOf(res), "is not your task") && !strings.Contains(textOf(res), "was not asked of you") {
					t.Errorf("%s: %s", tool, textOf(res))
				}
			}
			if res := other.call("contact_agent", map[string]any{"action": "notify", "agentId": "Ada", "message": "Hi.", "from": "CoderBot"}); !res.IsError {
				t.Error("an argument said who speaks:", textOf(res))
			}
			if task, err := w.hub.Reading.Task(t.Context(), w.caller("Ada"), id); err != nil || !task.State.Open() {
				t.Error(task, err)
			}
			coder := w.connect("CoderBot", version, nil)
			if text := coder.says("wait_for_messages", nil); !strings.Contains(text, "For you alone.") || !strings.Contains(text, "Count the files.") {
				t.Error("what is CoderBot's was changed:", text)
			}
		})
	}
}

// A token that was revoked ends what it was used for, in a session too.
func TestARevokedTokenIsOfNoUse(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			coder := w.connect("CoderBot", version, nil)
			list, err := coder.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) < 10 {
				t.Fatal(list, err)
			}
			w.revoke("CoderBot")
			if _, err := coder.CallTool(t.Context(), &mcp.CallToolParams{Name: "my_tasks"}); err == nil {
				t.Error("the call was made")
			}
			tries := []map[string]any{{"method": "tools/list"}, {"method": "resources/list"}, {"method": "prompts/list"}, {"method": "initialize"},
				{"method": "resources/read", "params": map[string]any{"uri": "parley://tasks"}}}
			for _, tool := range list.Tools {
				tries = append(tries, map[string]any{"method": "tools/call", "params": map[string]any{"name": tool.Name, "arguments": map[string]any{}}})
			}
			for i, try := range tries {
				try["jsonrpc"], try["id"] = "2.0", i
				for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodGet} {
					status, body := w.send(method, w.tokens["CoderBot"], coder.ID(), try)
					if status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
						t.Errorf("%s %v: %d %s", method, try, status, body)
					}
				}
			}
		})
	}
}

// Whoever has no token is told how to get one.
func TestARefusedClientIsToldHowToGetAToken(t *testing.T) {
	w := newWorld(t)
	for _, token := range []string{"", "parley_wrong", "parley_" + strings.Repeat("x", 43)} {
		status, body := w.send(http.MethodPost, token, "", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize"})
		var said struct {
			Error struct{ Message string }
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil || status != http.StatusUnauthorized || !strings.Contains(said.Error.Message, "parley token create") {
			t.Errorf("%q: %d %s", token, status, body)
		}
	}
}

// revoke takes the token of somebody away, in the middle of whatever it is used for.
func (w *world) revoke(name string) {
	w.t.Helper()
	list, err := w.hub.Tokens.List(w.t.Context(), w.caller("Ada"), false)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, one := range list {
		if one.Owner != name {
			continue
		}
		if _, err := w.hub.Tokens.Revoke(w.t.Context(), w.caller("Ada"), one.ID); err != nil {
			w.t.Fatal(err)
		}
	}
}

// The profile of an agent decides about its calls over MCP as about any other.
func TestTheRulesAreAskedAboutEveryCall(t *testing.T) {
	w := newWorld(t)
	locked, err := policy.NewProfile("locked", policy.Patterns{})
	if err != nil {
		t.Fatal(err)
	}
	w.rejoin(func(m *app.Member) {
		if m.Name == "CoderBot" {
			m.Rules = &policy.Rules{Profile: locked}
		}
	})
	coder := w.connect("CoderBot", alone, nil)
	for tool, args := range map[string]map[string]any{
		"list_agents": nil, "search_messages": {"query": "secret"}, "sleep": {"until": "2030-01-01T00:00:00Z"}, "read_agent_docs": {"agentId": "DataBot"},
		"contact_agent": {"action": "notify", "agentId": "DataBot", "message": "Hi."}, "send_channel_message": {"channel": "standup", "content": "Hi."},
	} {
		if res := coder.call(tool, args); !res.IsError {
			t.Errorf("%s: %s", tool, textOf(res))
		}
	}
	coder.says("my_tasks", nil) // its own things it can always read
	coder.says("wait_for_messages", nowait)
}

// What one participant is offered is nothing that a cache may give to another.
func TestNothingIsForASharedCache(t *testing.T) {
	w := newWorld(t)
	coder := w.connect("CoderBot", alone, nil)
	tools, err := coder.ListTools(t.Context(), nil)
	if err != nil || tools.CacheScope != "private" {
		t.Errorf("tools: %q, %v", tools.CacheScope, err)
	}
	agents, err := coder.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "parley://agents"})
	if err != nil || agents.CacheScope != "private" {
		t.Errorf("a resource: %q, %v", agents.CacheScope, err)
	}
}
