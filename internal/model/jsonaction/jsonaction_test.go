package jsonaction_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/model"
	"parley/internal/model/jsonaction"
)

var tools = []model.Tool{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}}

func call(id, name, args string) model.Call {
	return model.Call{ID: id, Name: name, Args: json.RawMessage(args)}
}

func TestParse(t *testing.T) {
	read := call("call-1", "read_file", `{"path":"a.go"}`)
	for _, c := range []struct {
		name, text string
		want       model.Reply
	}{
		{"respond", `{"action": "respond", "message": "Hello."}`, model.Reply{Text: "Hello."}},
		{"done", `{"action":"done","message":"It compiles."}`, model.Reply{Text: "It compiles."}},
		{"tool", `{"action":"tool_call","tool":"read_file","args":{"path":"a.go"}}`, model.Reply{Calls: []model.Call{read}}},
		{"arguments by another name", `{"action":"tool_call","tool":"read_file","arguments":{"path":"a.go"}}`, model.Reply{Calls: []model.Call{read}}},
		{"no arguments", `{"action":"tool_call","tool":"read_file","args":null}`, model.Reply{Calls: []model.Call{call("call-1", "read_file", `{}`)}}},
		{"the tool as action", `{"action":"read_file","args":{"path":"a.go"}}`, model.Reply{Calls: []model.Call{read}}},
		{"no action but a tool", `{"name":"read_file","arguments":{"path":"a.go"}}`, model.Reply{Calls: []model.Call{read}}},
		{"unknown tool", `{"action":"tool_call","tool":"fly","args":{}}`, model.Reply{Calls: []model.Call{call("call-1", "fly", `{}`)}}},
		{"agent", `{"action":"call_agent","target":"writer","task":"Write."}`, model.Reply{Calls: []model.Call{call("call-1", "call_agent", `{"target":"writer","task":"Write."}`)}}},
		{"person", `{"action":"ask_user","question":"Which?"}`, model.Reply{Calls: []model.Call{call("call-1", "ask_user", `{"question":"Which?"}`)}}},
		{"fence", "```json\n{\"action\":\"respond\",\"message\":\"Hello.\"}\n```", model.Reply{Text: "Hello."}},
		{"text around", `Sure! {"action":"respond","message":"Hello."} I hope {this} helps.`, model.Reply{Text: "Hello."}},
		{"comma too many", `{"action":"tool_call","tool":"read_file","args":{"path":"a.go",},}`, model.Reply{Calls: []model.Call{read}}},
		{"single quotes", `{'action': 'respond', 'message': 'It\'s "done", isn't it?'}`, model.Reply{Text: `It's "done", isn't it?`}},
		{"line breaks in a text", "{\"action\":\"respond\",\"message\":\"One\nTwo\"}", model.Reply{Text: "One\nTwo"}},
		{"words of Python", `{'action': 'tool_call', 'tool': 'read_file', 'args': {'a': True, 'b': None}}`,
			model.Reply{Calls: []model.Call{call("call-1", "read_file", `{"a": true, "b": null}`)}}},
		{"several", `{"action":"tool_call","tool":"read_file","args":{"path":"a.go"}}
{"action":"tool_call","tool":"read_file","args":{}}`, model.Reply{Calls: []model.Call{read, call("call-2", "read_file", `{}`)}}},
		{"a list", `[{"action":"tool_call","tool":"read_file","args":{"path":"a.go"}}]`, model.Reply{Calls: []model.Call{read}}},
		{"text and a call", `{"action":"respond","message":"I look."}{"action":"tool_call","tool":"read_file","args":{"path":"a.go"}}`,
			model.Reply{Text: "I look.", Calls: []model.Call{read}}},
		{"an object that is none", `{"x":1} {"action":"done","message":"Yes."}`, model.Reply{Text: "Yes."}},
		{"thoughts", "<think>Or {\"action\":\"tool_call\",\"tool\":\"read_file\",\"args\":{}}?</think>\n{\"action\":\"respond\",\"message\":\"No.\"}", model.Reply{Text: "No."}},
		{"thoughts without a beginning", `So {"action":"done","message":"?"}.</think>{"action":"respond","message":"No."}`, model.Reply{Text: "No."}},
		{"thoughts in a text", `{"action":"respond","message":"Write </think> {here}."}`, model.Reply{Text: "Write </think> {here}."}},
		{"braces in a text", `{"action":"respond","message":"func f() { return }"}`, model.Reply{Text: "func f() { return }"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, jsonaction.Parse(c.text, tools)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFormatErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":                                  "there is no JSON object",
		"I would say yes.":                  "there is no JSON object",
		`{"answer": 42}`:                    `no "action"`,
		`{"action":"fly"}`:                  `there is no action "fly"`,
		`{"action":"respond"}`:              `respond needs a "message"`,
		`{"action":"done","message":" "}`:   `done needs a "message"`,
		`{"action":"tool_call","args":{}}`:  `tool_call needs a "tool"`,
		`{"action":"respond","message":"He`: "cannot be read",
		`{"action" "respond"}`:              "cannot be read",
		strings.Repeat("{", 1000):           "there is no JSON object",
		`{"action":"respond","message":"a"} {"action":"tool_call","tool":`: "cannot be read",
		// What is inside of a broken action, or behind it, is not taken instead.
		`{"id":"1","action":"tool_call","tool":"write_file","args":{"name":"read_file"}`:                                               "cannot be read",
		`{"why":"{x}","action":"tool_call","tool":"write_file","args":{"name":"read_file"}`:                                            "cannot be read",
		`{"name":"write_file","arguments":{"name":"read_file"}`:                                                                        "cannot be read",
		"{\"id\":1,\"action\":\"tool_call\",\"tool\":\"x\",\"args\":{\"a\":\"b\" \"c\"}}\n{\"action\":\"done\",\"message\":\"Done.\"}": "cannot be read",
		`<think>{"action":"done","message":"Done."}`:                                                                                   "there is no JSON object",
	} {
		got := jsonaction.Parse(text, tools)
		if !strings.HasPrefix(got.Rejected, "FORMAT ERROR: ") || !strings.Contains(got.Rejected, says) || got.Calls != nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A reply is either rejected or something that can be stored and acted on.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"action":"respond","message":"a"}`, `{'action': 'done', 'message': 'it\'s'}`, "```json\n{\"action\":\"tool_call\",\"tool\":\"x\",\"args\":{,}}\n```",
		`{{{"`, `{'`, `{"a":\`, "{\"action\":\"ask_user\",\"question\":\"\xff\"}", `{"action":"call_agent","args":[1,2]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := jsonaction.Parse(text, tools)
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q cannot be stored: %v", text, err)
		}
		if r.Rejected == "" && r.Text == "" && len(r.Calls) == 0 {
			t.Errorf("%q is neither rejected nor anything", text)
		}
		for _, c := range r.Calls {
			if c.Name == "" || c.ID == "" || !json.Valid(c.Args) {
				t.Errorf("%q: %+v", text, c)
			}
		}
	})
}

// inner records what it was asked.
type inner struct {
	asked model.Request
	says  string
}

func (i *inner) Step(_ context.Context, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	i.asked = req
	return model.Reply{Text: i.says, Usage: model.Usage{Input: 7}}, nil
}

// The tools belong to what comes again in every task, and so come before what does
// not.
func TestToolsComeBeforeTheTask(t *testing.T) {
	in := &inner{says: `{"action":"respond","message":"Fine."}`}
	system := "You are Bob.\n" + "\nBe kind.\n" + "\nYou work on task-1.\n"
	req := model.Request{System: system, Marks: []int{13, 23}, Tools: tools}
	if _, err := jsonaction.New(in).Step(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	parts := in.asked.SystemParts()
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "You are Bob.\n\n## How to answer") || !strings.Contains(parts[0], "### read_file") {
		t.Fatalf("%q", parts)
	}
	if diff := cmp.Diff(req.SystemParts()[1:], parts[1:]); diff != "" {
		t.Error(diff)
	}
}

func TestStep(t *testing.T) {
	in := &inner{says: `{"action":"respond","message":"Fine."}`}
	var shown string
	r, err := jsonaction.New(in).Step(t.Context(), model.Request{
		System: "You are Bob.", Tools: tools,
		Messages: []model.Message{
			{Role: model.User, Text: "Read a.go."},
			{Role: model.Assistant, Calls: []model.Call{call("call-1", "read_file", `{"path":"a.go"}`)}},
			{Role: model.ToolResult, CallID: "call-1", Text: "package a"},
		},
	}, func(d model.Delta) { shown += d.Text })
	if err != nil || r.Text != "Fine." || r.Usage.Input != 7 || shown != "Fine." {
		t.Errorf("%+v, %v, shown %q", r, err, shown)
	}
	if len(in.asked.Tools) != 0 || !strings.HasPrefix(in.asked.System, "You are Bob.\n\n## How to answer") || !strings.Contains(in.asked.System, "### read_file") {
		t.Errorf("asked: %+v", in.asked)
	}
	want := []model.Message{
		{Role: model.User, Text: "Read a.go."},
		{Role: model.Assistant, Text: `{"action":"tool_call","id":"call-1","tool":"read_file","args":{"path":"a.go"}}`},
		{Role: model.User, Text: "[Result of call call-1]\n\npackage a"},
	}
	if diff := cmp.Diff(want, in.asked.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
