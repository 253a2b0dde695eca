package loomtools_test

import (
	"encoding/json"
	"testing"

	"parley/internal/tool"
	"parley/internal/tool/loomtools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, loomtools.New(nil, nil, nil), "peer_message", "peer_discovery", "peer_claim_region",
		"peer_review", "peer_create_task", "peer_intent", "peer_plan_revision", "peer_ask_question", "peer_answer_question", "peer_forward_question",
		"context_offload", "context_retrieve")
}

// The rules know a call by its action; contacts are decided about where their target
// is found. To let the whole team read is another action than to put away.
func TestActionsOfCalls(t *testing.T) {
	tools := loomtools.New(nil, nil, nil)
	for _, c := range []struct{ tool, args, want string }{
		{"peer_ask_question", `{"question": "Who?"}`, ""},
		{"peer_forward_question", `{"query_id": "query-7"}`, ""},
		{"peer_answer_question", `{"query_id": "query-7"}`, "tool:task:answer query-7"},
		{"peer_answer_question", `{"query_id": "7"}`, "tool:task:answer query-7"},
		{"peer_answer_question", `{"query_id": "x y"}`, "tool:task:answer "},
		{"peer_answer_question", `[]`, "tool:task:answer "},
		{"peer_claim_region", `{"path": "./a.go"}`, "tool:task:claim a.go"},
		{"peer_review", `{"path": "./a.go"}`, ""},
		{"context_retrieve", `{"query": "x"}`, "tool:keeper:retrieve"},
		{"context_offload", `{"topic": "x"}`, "tool:keeper:offload"},
		{"context_offload", `{"topic": "x", "share": "team"}`, "tool:keeper:share"},
		{"context_offload", `[]`, "tool:keeper:offload"},
	} {
		tl, found := tool.Find(tools, c.tool)
		if got, ok := tl.ActionOf(json.RawMessage(c.args)); !found || got != c.want || ok != (c.want != "") {
			t.Errorf("%s %s is %q, %v", c.tool, c.args, got, ok)
		}
	}
}
