package loomtools_test

import (
	"encoding/json"
	"testing"

	"parley/internal/tool/loomtools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, loomtools.New(nil), "peer_ask_question", "peer_answer_question", "peer_forward_question")
}

// The rules know an answer by its question; the contacts are decided about where
// their target is found.
func TestActionsOfCalls(t *testing.T) {
	for args, want := range map[string]string{
		`{"query_id": "query-7"}`: "tool:task:answer query-7",
		`{"query_id": "7"}`:       "tool:task:answer query-7",
		`{"query_id": "x y"}`:     "tool:task:answer ",
		`[]`:                      "tool:task:answer ",
	} {
		for _, tl := range loomtools.New(nil) {
			got, ok := tl.ActionOf(json.RawMessage(args))
			if asks := tl.Name == "peer_answer_question"; ok != asks || asks && got != want {
				t.Errorf("%s %s is %q, %v", tl.Name, args, got, ok)
			}
		}
	}
}
