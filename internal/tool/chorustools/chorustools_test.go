package chorustools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/internal/tool/chorustools"
)

// A model sees the name, the description and the schema, and nothing else.
func TestEveryToolIsDescribed(t *testing.T) {
	var names []string
	for _, tl := range chorustools.New(nil, nil, nil) {
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
	if want := []string{"send_to_agent", "request_from_agent", "list_agents", "read_agent_docs"}; !slices.Equal(names, want) {
		t.Errorf("the toolset has %v, want %v", names, want)
	}
}

// The rules know a call by its action; the two contacts are decided about where
// their target is found.
func TestActionsOfCalls(t *testing.T) {
	want := map[string]string{"list_agents": "tool:agent_comm:list", "read_agent_docs": "tool:agent_comm:read_docs DataBot"}
	for _, tl := range chorustools.New(nil, nil, nil) {
		got, ok := tl.ActionOf(json.RawMessage(`{"target_agent": "DataBot"}`))
		if got != want[tl.Name] || ok != (want[tl.Name] != "") {
			t.Errorf("%s is %q, %v", tl.Name, got, ok)
		}
	}
}
