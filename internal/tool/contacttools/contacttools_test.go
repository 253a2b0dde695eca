package contacttools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/internal/tool/contacttools"
)

// A model sees the name, the description and the schema, and nothing else.
func TestEveryToolIsDescribed(t *testing.T) {
	var names []string
	for _, tl := range contacttools.New(nil, nil, nil) {
		names = append(names, tl.Name)
		if tl.Contacts == (tl.Action != nil) {
			t.Errorf("%s does not say what it does to the rules", tl.Name)
		}
		if len(strings.TrimSpace(tl.Description)) < 20 {
			t.Errorf("%s: the description is %q", tl.Name, tl.Description)
		}
		var schema struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if err := json.Unmarshal(tl.Schema, &schema); err != nil {
			t.Fatalf("%s: %v", tl.Name, err)
		}
		if schema.Type != "object" {
			t.Errorf("%s takes a %q", tl.Name, schema.Type)
		}
		for name, p := range schema.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: %s is not described", tl.Name, name)
			}
		}
		for _, name := range schema.Required {
			if _, ok := schema.Properties[name]; !ok {
				t.Errorf("%s requires %s, which it does not have", tl.Name, name)
			}
		}
	}
	if want := []string{"contact_agent", "await_task", "cancel_task", "sleep", "message_status", "list_agents", "read_agent_docs", "query_workspace"}; !slices.Equal(names, want) {
		t.Errorf("the toolset has %v, want %v", names, want)
	}
}

// The rules know a call by its action, whatever a model wrote as arguments.
func TestActionsOfCalls(t *testing.T) {
	want := map[string][2]string{ // the arguments, and the action
		"await_task":     {`{"task_id": "7"}`, "tool:task:await task-7"},
		"cancel_task":    {`{"task_id": "task-7"}`, "tool:task:cancel task-7"},
		"message_status": {`{"message_id": "7"}`, "tool:task:status msg-7"},
		"sleep":          {`{"until": "tomorrow"}`, "tool:self:sleep"},
		"list_agents":    {``, "tool:agent_comm:list"},

		"read_agent_docs": {`{"target_agent": "DataBot"}`, "tool:agent_comm:read_docs DataBot"},
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
