package chorustools_test

import (
	"encoding/json"
	"testing"

	"parley/internal/tool/chorustools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, chorustools.New(nil, nil, nil), "send_to_agent", "request_from_agent", "list_agents", "read_agent_docs", "read_inbox")
}

// The rules know a call by its action; the two contacts are decided about where
// their target is found.
func TestActionsOfCalls(t *testing.T) {
	want := map[string]string{"list_agents": "tool:agent_comm:list", "read_agent_docs": "tool:agent_comm:read_docs DataBot", "read_inbox": "tool:agent_comm:read_inbox"}
	for _, tl := range chorustools.New(nil, nil, nil) {
		got, ok := tl.ActionOf(json.RawMessage(`{"target_agent": "DataBot"}`))
		if got != want[tl.Name] || ok != (want[tl.Name] != "") {
			t.Errorf("%s is %q, %v", tl.Name, got, ok)
		}
	}
}
