package contacttools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/tool/contacttools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, contacttools.New(nil, nil, nil), "contact_agent", "ask_user", "await_task", "cancel_task", "remind", "sleep",
		"message_status", "list_agents", "read_agent_docs", "query_workspace", "send_channel_message", "read_channel", "search_messages", "read_inbox", "read_attachment")
}

// The rules know a call by its action, whatever a model wrote as arguments.
func TestActionsOfCalls(t *testing.T) {
	want := map[string][2]string{ // the arguments, and the action
		"await_task":     {`{"task_id": "7"}`, "tool:task:await task-7"},
		"cancel_task":    {`{"task_id": "task-7"}`, "tool:task:cancel task-7"},
		"remind":         {`{"task_id": "7", "after": "1h"}`, "tool:task:remind task-7"},
		"message_status": {`{"message_id": "7"}`, "tool:task:status msg-7"},
		"sleep":          {`{"until": "tomorrow"}`, "tool:self:sleep"},
		"list_agents":    {``, "tool:agent_comm:list"},

		"read_agent_docs": {`{"target_agent": "DataBot"}`, "tool:agent_comm:read_docs DataBot"},
		"read_channel":    {`{"channel": "#daily"}`, "tool:channel:read #daily"},
		"search_messages": {`{"query": "tea"}`, "tool:channel:read *"},
		"read_inbox":      {`{"limit": 3}`, "tool:agent_comm:read_inbox"},
		"read_attachment": {`{"of": "task-7"}`, "tool:agent_comm:read_inbox"},
		"query_workspace": {`{"action": "list_agents"}`, "tool:agent_comm:list"},
	}
	for _, tl := range contacttools.New(nil, nil, nil) {
		c, asked := want[tl.Name]
		got, ok := tl.ActionOf(json.RawMessage(c[0]))
		if ok != asked || got != c[1] {
			t.Errorf("%s is %q, %v", tl.Name, got, ok)
		}
		if got, _ := tl.ActionOf(json.RawMessage(`[`)); asked && !strings.HasPrefix(got, "tool:") {
			t.Errorf("%s with broken arguments is %q", tl.Name, got)
		}
	}
}
