// Package tooltest holds toolsets against what every toolset keeps to.
package tooltest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/internal/policy"
	"parley/internal/tool"
)

// Described makes sure that a set has these tools, and that each says to a model,
// to people and to the rules what they need: a model sees the name, the
// description and the schema, and nothing else.
func Described(t *testing.T, set []tool.Tool, want ...string) {
	t.Helper()
	var names []string
	for _, tl := range set {
		names = append(names, tl.Name)
		saysWhatItDoes(t, tl)
		if len(strings.TrimSpace(tl.Description)) < 20 {
			t.Errorf("%s: the description is %q", tl.Name, tl.Description)
		}
		describesArguments(t, tl)
	}
	if !slices.Equal(names, want) {
		t.Errorf("the toolset has %v, want %v", names, want)
	}
}

func saysWhatItDoes(t *testing.T, tl tool.Tool) {
	t.Helper()
	action, asked := tl.ActionOf(nil)
	switch {
	case tl.Contacts == asked || asked && action == policy.Action(policy.Other, tl.Name):
		t.Errorf("%s does not say what it does to the rules", tl.Name)
	case tl.Title == "":
		t.Errorf("%s has no title", tl.Name)
	case tl.Hints.ReadOnly && (tl.Contacts || tl.Hints.Destructive):
		t.Errorf("%s only reads, it says, and is %+v", tl.Name, tl.Hints)
	case tl.Reads(nil) && !tl.Hints.ReadOnly:
		t.Errorf("%s only reads and does not say so", tl.Name)
	}
}

func describesArguments(t *testing.T, tl tool.Tool) {
	t.Helper()
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
