package loomtools_test

import (
	"encoding/json"
	"testing"

	"parley/internal/tool/loomtools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, loomtools.New(nil), "context_offload", "context_retrieve")
}

// To let the whole team read is another action than to put away.
func TestActionsOfCalls(t *testing.T) {
	for args, want := range map[string]map[string]string{
		`{"topic": "x"}`:                  {"context_offload": "tool:keeper:offload", "context_retrieve": "tool:keeper:retrieve"},
		`{"topic": "x", "share": "team"}`: {"context_offload": "tool:keeper:share", "context_retrieve": "tool:keeper:retrieve"},
		`[]`:                              {"context_offload": "tool:keeper:offload", "context_retrieve": "tool:keeper:retrieve"},
	} {
		for _, tl := range loomtools.New(nil) {
			if got, ok := tl.ActionOf(json.RawMessage(args)); got != want[tl.Name] || !ok {
				t.Errorf("%s%s is %q, %v", tl.Name, args, got, ok)
			}
		}
	}
}
