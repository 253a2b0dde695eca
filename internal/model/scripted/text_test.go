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
	sc := &scene{req: req, at: 6, input: req.Messages[6].Text, rule: &rule{match: match}, results: []string{"Error: task-10 is late", "Delegated (task-11)."}}
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
		// Odd ways to write it.
		{"{{\n\tmatch  1\n}}", "Data Bot"},
		{"{{match 0}}", "from Data Bot |"},
		{"{{`{{`}} {{\"}}\"}} {{\"a\\tb\"}}", "{{ }} a\tb"},
		{"{ {agent}} {{agent}}}} {agent} }}", "{ {agent}} Bot}} {agent} }}"},
		{"{\"k\": {{body}}}", "{\"k\": 42}"},
		{"-{{agent}}-\n - {{agent}} -", "-Bot-\n - Bot -"},
		{"<b>&amp;'{{agent}}'", "<b>&amp;'Bot'"},
		{"{{capture `}}` \"a}}b\"}}", "}}"},
		{"{{capture `{{` \"a{{b\"}}", "{{"},
		{"{{capture `(?P<n>\\d)\\d` (body)}}", "4"},
		{"{{capture `\\|` (match)}}", "|"},
		{"{{capture `\"([^\"]+)\"` `say \"hi\"`}}", "hi"},
		{"{{capture `task-\\d+` ( capture `.*` ( result 2 ) )}}", "task-11"},
		{"{{capture `(x)?Bot` match}}.", "."},
		{"{{results}}{{agent}}", "Writer: line one\nline two\nData Bot: 42Bot"},
		{"…{{agent}}…", "…Bot…"},
		{"a {{- agent -}} b{{/* a comment */}}", "aBotb"},
	}
	for _, tt := range tests {
		text, err := newText(tt.text, match)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got, err := text.fill(aScene(match))
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
	text, err := newText("{{conversation}}", match)
	if err != nil {
		t.Fatal(err)
	}
	sc := aScene(match)
	sc.req.Messages = sc.req.Messages[2:5]
	got, err := text.fill(sc)
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
		{"{{", "{{…}} cannot be read: unclosed action"},
		{"a {{agent b", "{{…}} cannot be read: unclosed action"},
		{"{{}}", "missing value for command"},
		{"{{ nobody }}", `in {{nobody}}: "nobody" is not known; there are agent, body`},
		{"{{agent 1}}", `"1" is one too many`},
		{"{{match 3}}", "the match pattern has no group 3"},
		{`{{match "what"}}`, `no group named "what"`},
		{"{{result 0}}", "counted from 1"},
		{"{{capture result}}", "wants a quoted pattern"},
		{"{{capture `x`}}", "does not say where to look"},
		{"{{capture `(` result}}", "missing closing )"},
		{"{{capture `x` (result 1}}", "unclosed left paren"},
		{"{{capture `x` 1}}", `"1" is not known`},
		{`{{capture "\d" result}}`, "unknown escape"},
		{"{{-1}}", `"-1" is not known`},
		{"{{match 1 2}}", `"2" is one too many`},
		{"{{match body}}", "no group body"},
		{"{{match 01}}", "no group 01"},
		{"{{match (1)}}", "no group"},
		{"{{result 1 2}}", `"2" is one too many`},
		{`{{result "a"}}`, "counted from 1"},
		{"{{capture body body}}", "wants a quoted pattern"},
		{"{{capture `x` body 1}}", `"1" is one too many`},
		{"{{capture `x` (nobody)}}", `"nobody" is not known`},
		{"{{(capture) `x` body}}", "is not known"},
		{"{{match1}}", `"match1" is not known`},
		{"{{.}} {{.Agent}}", `"." is not known`},
		{"{{agent.Name}}", "is not known"},
		{`{{printf "x"}}`, `"printf" is not known`},
		{"{{body | capture `x`}}", "only one word with its arguments"},
		{"{{$x := body}}", "only one word with its arguments"},
		{"{{if body}}x{{end}}", "only words can stand here"},
		{`{{template "x"}}`, "only words can stand here"},
		{`{{define "x"}}y{{end}}`, "{{define}} is not known"},
	}
	for _, tt := range tests {
		_, err := newText(tt.text, regexp.MustCompile("(x)"))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: err = %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := newText("{{match 1}}", nil); err == nil || !strings.Contains(err.Error(), "no match pattern") {
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
		text, err := newText(tt.text, match)
		if err != nil {
			t.Fatal(err)
		}
		sc := aScene(match)
		sc.req.Messages, sc.at = sc.req.Messages[5:], 1
		text.place = "f.yaml:1:2"
		_, err = text.fill(sc)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: err = %v, want %q", tt.text, err, tt.want)
		}
	}
}
