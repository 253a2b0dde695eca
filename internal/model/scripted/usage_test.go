package scripted

import (
	"strings"
	"testing"

	"parley/internal/model"
)

func TestUsageIsWhatTheScriptSays(t *testing.T) {
	const text = "agents:\n  '*':\n    - {match: fixed, steps: [{say: 'Hi.', usage: {input: 1k, output: 20, money: 0.01}}]}\n" +
		"    - {match: guessed, steps: [{say: 'Hi.', usage: {output: 20, estimate: 400}}]}\n    - {steps: [{say: 'Four.'}]}\n"
	s, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]struct{ usage, estimate model.Usage }{
		"fixed":   {model.Usage{Input: 1000, Output: 20, Cost: 10_000}, model.Usage{Input: 1000, Output: 20, Cost: 10_000}},
		"guessed": {model.Usage{Output: 20}, model.Usage{Output: 400}},
		"by size": {model.Usage{Input: 2, Output: 2}, model.Usage{Input: 2, Output: 2}},
	} {
		req := model.Request{Agent: "A", Messages: []model.Message{{Role: model.User, Text: input}}}
		reply, err := s.Step(t.Context(), req, nil)
		if err != nil || reply.Usage != want.usage {
			t.Errorf("%s: %+v, %v", input, reply.Usage, err)
		}
		if got := model.Estimate(s, req); got != want.estimate {
			t.Errorf("%s is estimated as %+v", input, got)
		}
	}
}

func TestUsageThatIsRefused(t *testing.T) {
	for usage, want := range map[string]string{
		"{input: many}": `input: Expected a number of tokens, like 1200 or 50k, not "many".`,
		"{money: free}": `money: Expected an amount of US dollars, like 0.25, not "free".`,
		"{tokens: 5}":   `Unknown key "tokens". Known are input, output, money, estimate, most.`,
		"5":             "usage: Expected keys and values, like name: text.",
	} {
		_, err := Parse("f.yaml", []byte("agents:\n  '*': [{steps: [{say: 'Hi.', usage: "+usage+"}]}]\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", usage, err)
		}
	}
}

// A model that cannot tell is taken to say as much as most may.
func TestTheEstimateOfAModelThatCannotTell(t *testing.T) {
	req := model.Request{System: "123", Messages: []model.Message{{Text: "456", Calls: []model.Call{{Name: "a", Args: []byte("{}")}}}},
		Tools: []model.Tool{{Name: "abc", Description: "def", Schema: []byte("{1}")}}}
	if got, want := model.Estimate(Noop(), req), (model.Usage{Input: 6, Output: 4096}); got != want {
		t.Errorf("%+v", got)
	}
}
