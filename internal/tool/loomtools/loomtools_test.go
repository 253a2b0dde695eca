package loomtools_test

import (
	"encoding/json"
	"testing"

	"parley/internal/tool/loomtools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, loomtools.New(nil, nil), "peer_message", "peer_discovery", "peer_claim_region",
		"peer_review", "peer_create_task", "peer_intent", "peer_plan_revision")
}

// The rules know a call by its action; contacts are decided about where their
// target is found.
func TestActionsOfCalls(t *testing.T) {
	want := map[string]string{"peer_claim_region": "tool:task:claim a.go"}
	for _, tl := range loomtools.New(nil, nil) {
		got, ok := tl.ActionOf(json.RawMessage(`{"path": "./a.go"}`))
		if got != want[tl.Name] || ok != (want[tl.Name] != "") {
			t.Errorf("%s is %q, %v", tl.Name, got, ok)
		}
	}
}
