package scripted

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/model"
)

// aScene is a coordinator that has just been given a result, after two calls.
func aScene(match *regexp.Regexp) *scene {
	req := &model.Request{Agent: "Bot", Messages: []model.Message{
		{Role: model.User, Text: "an older job"},
		{Role: model.User, Text: parley.ResultText("Old", 1, "not this job's")},
		{Role: model.User, Text: parley.RequestText("alice", parley.Delegate, parley.High, 7, "We met.", "Write it.")},
		{Role: model.Assistant, Calls: []model.Call{{Name: "look", Args: []byte(`{"a":1}`)}}},
		{Role: model.ToolResult, Text: "Delegated (task-8)."},
		{Role: model.User, Text: parley.ResultText("Writer", 8, "line one\nline two")},
		{Role: model.User, Text: parley.ResultText("Data Bot", 9, "42")},
	}}
	sc := &scene{req: req, at: 6, input: req.Messages[6].Text, results: []string{"Error: task-10 is late", "Delegated (task-11)."}}
	sc.groups = match.FindStringSubmatchIndex(sc.input)
	return sc
}

func TestTemplate(t *testing.T) {
	match := regexp.MustCompile(`from (?P<who>[\w ]+?) \|( never)?`)
	tests := []struct{ text, want string }{
		{"", ""},
		{"plain }} text", "plain }} text"},
		{"{{agent}}, {{ agent }}!", "Bot, Bot!"},
		{"{{input}}", "[Delegation Result from Data Bot | task-9]\n42"},
		{"{{body}}", "42"},
		{"{{match}}", "from Data Bot |"},
		{"{{match 1}}", "Data Bot"},
		{`{{match "who"}}{{match 2}}`, "Data Bot"},
		{"{{request}}", "Context: We met.\n\nWrite it."},
		{"{{result}}", "Delegated (task-11)."},
		{"{{result 1}}", "Error: task-10 is late"},
		{"{{results}}", "Writer: line one\nline two\nData Bot: 42"},
		{`{{capture "task-\\d+" result}}`, "task-11"},
		{"{{capture `task-(\\d+)` (result 1)}}", "10"},
		{"{{capture `4.` (capture `\\d+` body)}}", "42"},
		{"{{capture `older \\w+` conversation}}", "older job"},
		{`{{"{{"}}match}}`, "{{match}}"},
	}
	for _, tt := range tests {
		parts, err := compileTemplate(tt.text, match)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got, err := template{parts: parts}.render(aScene(match))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestConversation(t *testing.T) {
	match := regexp.MustCompile("x")
	parts, err := compileTemplate("{{conversation}}", match)
	if err != nil {
		t.Fatal(err)
	}
	sc := aScene(match)
	sc.req.Messages = sc.req.Messages[2:5]
	got, err := template{parts: parts}.render(sc)
	if err != nil {
		t.Fatal(err)
	}
	want := `user: [Agent Request from alice | Pattern: delegate | Priority: high | Task: task-7]

Context: We met.

Write it.
assistant:  → look {"a":1}
tool: Delegated (task-8).`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conversation differs (-want +got):\n%s", diff)
	}
}

func TestTemplateRefused(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{{", `in {{: "}}" is missing`},
		{"a {{agent b", `in {{agent b: "}}" is missing`},
		{"{{}}", "a word is missing"},
		{"{{ nobody }}", `in {{ nobody }}: "nobody" is not known`},
		{"{{agent 1}}", `"1" is one too many`},
		{"{{match 3}}", "the match pattern has no group 3"},
		{`{{match "what"}}`, `no group named "what"`},
		{"{{result 0}}", "counted from 1"},
		{"{{capture result}}", "wants a quoted pattern"},
		{"{{capture `x`}}", "does not say where to look"},
		{"{{capture `(` result}}", "missing closing )"},
		{"{{capture `x` (result 1}}", `")" is missing`},
		{"{{capture `x` 1}}", "a word is missing"},
		{`{{capture "\d" result}}`, "unknown escape"},
		{"{{-1}}", "'-' cannot stand here"},
	}
	for _, tt := range tests {
		_, err := compileTemplate(tt.text, regexp.MustCompile("(x)"))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: err = %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := compileTemplate("{{match 1}}", nil); err == nil || !strings.Contains(err.Error(), "no match pattern") {
		t.Errorf("match in a rule without a pattern: err = %v", err)
	}
}

func TestTemplateFails(t *testing.T) {
	match := regexp.MustCompile("Bot")
	tests := []struct{ text, want string }{
		{"{{result 3}}", "f.yaml:1:2: {{result 3}}: there are only 2 tool results"},
		{"{{capture `xyz` body}}", "f.yaml:1:2: {{capture}}: `xyz` is not in: 42"},
		{"{{capture `x` (result 3)}}", "f.yaml:1:2: {{result 3}}: there are only 2 tool results"},
		{"{{request}}", "f.yaml:1:2: {{request}}: the request is no longer in the conversation"},
	}
	for _, tt := range tests {
		parts, err := compileTemplate(tt.text, match)
		if err != nil {
			t.Fatal(err)
		}
		sc := aScene(match)
		sc.req.Messages, sc.at = sc.req.Messages[5:], 1
		_, err = template{parts: parts, where: "f.yaml:1:2"}.render(sc)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: err = %v, want %q", tt.text, err, tt.want)
		}
	}
}
