package provider

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/internal/model"
)

// unrecorded are the fields that we send and that no recorded request has, each
// with its reason.
var unrecorded = map[string]map[string]string{
	"anthropic": {
		"messages[].content[].is_error: bool": "no tool failed in a recording",
		"messages[].content[].data: string":   "no thought in a recording was hidden by the provider",
	},
	"responses": {
		"input[].id: string":                "the library that recorded sends no thoughts back; these are",
		"input[].summary: array":            "the fields of a reasoning item as the reply has them",
		"input[].summary[]: object":         "the same",
		"input[].summary[].text: string":    "the same",
		"input[].summary[].type: string":    "the same",
		"input[].encrypted_content: string": "the same",
	},
	"gemini": {
		"tools[].functionDeclarations[].parameters.anyOf: array":      "the recorded tools are simpler; this is in Gemini's description of a schema",
		"tools[].functionDeclarations[].parameters.enum: array":       "the same",
		"tools[].functionDeclarations[].parameters.enum[]: string":    "the same",
		"tools[].functionDeclarations[].parameters.items: object":     "the same",
		"tools[].functionDeclarations[].parameters.nullable: bool":    "the same",
		"tools[].functionDeclarations[].parametersJsonSchema: object": "no recorded tool takes an object without saying what is in it",
	},
}

// fields adds every field of a JSON value to a set, with its type, and without the
// indices of lists. What is in a tool's arguments is the tool's, and so is its
// schema. Gemini's is not: we translate it. There the names of parameters are left
// out, and a schema within a schema counts as one.
func fields(v any, path string, to map[string]bool) {
	kind := "null"
	switch v := v.(type) {
	case map[string]any:
		kind = "object"
		for name, value := range v {
			switch {
			case strings.HasSuffix(path, ".input"), strings.HasSuffix(path, ".args"), strings.HasSuffix(path, ".input_schema"),
				strings.HasSuffix(path, ".parametersJsonSchema"):
			case strings.HasSuffix(path, ".parameters") && !strings.Contains(path, "functionDeclarations"):
			case strings.HasSuffix(path, ".properties"):
				fields(value, strings.TrimSuffix(path, ".properties"), to)
			case name == "items" && strings.HasSuffix(path, ".parameters"):
				to[path+".items: object"] = true
				fields(value, path, to)
			default:
				fields(value, strings.TrimPrefix(path+"."+name, "."), to)
			}
		}
	case []any:
		kind = "array"
		for _, value := range v {
			if strings.HasSuffix(path, ".anyOf") {
				fields(value, strings.TrimSuffix(path, ".anyOf"), to)
			} else {
				fields(value, path+"[]", to)
			}
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "bool"
	}
	to[path+": "+kind] = true
}

func addFields(t *testing.T, body string, to map[string]bool) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	fields(v, "", to)
}

// manySided has everything that a turn can say.
func manySided(private json.RawMessage) model.Request {
	schema := json.RawMessage(`{"type":"object","properties":{"at":{"type":"string","description":"where","enum":["here","there"]},
		"n":{"type":["integer","null"]},"list":{"type":"array","items":{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"number"}]}},"required":["x"]}}},"required":["at"]}`)
	call := func(id, args string) model.Call { return model.Call{ID: id, Name: "look", Args: json.RawMessage(args)} }
	free := json.RawMessage(`{"type":"object","properties":{"context":{"type":"object"}}}`)
	return model.Request{System: "You are Bob.", Marks: []int{4, 8},
		Tools: []model.Tool{{Name: "look", Description: "Looks.", Schema: schema}, {Name: "bare"}, {Name: "free", Schema: free}},
		Messages: []model.Message{
			{Role: model.Assistant, Text: "I was here before."},
			{Role: model.User, Text: "Look twice."}, {Role: model.User, Text: ""},
			{Role: model.Assistant, Text: "I do.", Calls: []model.Call{call("a", `{"at":"here"}`), call("b~2", `"no object"`)}, Private: private},
			{Role: model.ToolResult, CallID: "a", Text: "An x."},
			{Role: model.ToolResult, CallID: "b~2", Text: "Error: send an object.", IsError: true},
			{Role: model.User, Text: "Go on."},
			{Role: model.Assistant, Calls: []model.Call{call("c", `{}`)}},
			{Role: model.ToolResult, CallID: "c"},
		}}
}

// Every field that we send is in a recorded request of its format, with the same
// type, or has a reason not to be.
func TestRecordedRequests(t *testing.T) {
	known, sent := map[string]map[string]bool{}, map[string]map[string]bool{}
	for format := range fewest {
		known[format], sent[format] = map[string]bool{}, map[string]bool{}
	}
	for _, r := range recordings(t) {
		if r.skipped() != "" {
			continue
		}
		addFields(t, r.asked, known[r.format])
		m := ours(t, r, r.body)
		reply, err := m.Step(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "Hello."}}}, nil)
		if err != nil {
			continue // the other test looks at that
		}
		m.output = 100
		for _, req := range []model.Request{manySided(nil), follow(reply), {Messages: []model.Message{{Role: model.User, Text: "Hello."}}}} {
			addFields(t, string(bodyOf(t, m, req)), sent[r.format])
		}
	}
	hidden, _ := json.Marshal(private{Kind: Anthropic, Model: "some-model", Parts: []privatePart{
		{Thought: new(string), Raw: json.RawMessage(`{"type":"redacted_thinking","data":"x"}`)}, {Text: "I do."}, {Call: true}, {Call: true}}})
	anthropic := &Model{provider: Provider{Kind: Anthropic}, name: "some-model", format: anthropicFormat{}, limiter: newLimiter()}
	addFields(t, string(bodyOf(t, anthropic, manySided(hidden))), sent["anthropic"])

	for format, fields := range sent {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			reason := unrecorded[format][field]
			if known[format][field] == (reason != "") {
				t.Errorf("%s: %s: recorded is %v, and the reason not to be is %q", format, field, known[format][field], reason)
			}
		}
		for field := range unrecorded[format] {
			if !fields[field] {
				t.Errorf("%s: %s is not sent", format, field)
			}
		}
		if len(fields) < 20 {
			t.Errorf("%s: only %d fields are sent", format, len(fields))
		}
	}
}

// What the known providers are asked at is where the recordings were made.
func TestRecordedAddresses(t *testing.T) {
	known := map[string]bool{}
	for _, r := range recordings(t) {
		known[address(r.url.String())] = true
	}
	for _, p := range Known() {
		if p.Name == "ollama" {
			continue
		}
		for _, name := range []string{"gpt-5", "other-1"} {
			for _, p.Whole = range []bool{false, true} {
				m, err := New(Config{Provider: p, Name: name})
				if err != nil {
					t.Fatal(err)
				}
				post, err := m.post(t.Context(), model.Request{})
				if err != nil {
					t.Fatal(err)
				}
				if got := address(post.URL.String()); !known[got] {
					t.Errorf("nothing was recorded at %s", got)
				}
			}
		}
	}
}

// address leaves out the name of the model, which Gemini has in the address.
func address(url string) string {
	before, after, found := strings.Cut(url, "/models/")
	if !found {
		return url
	}
	_, verb, _ := strings.Cut(after, ":")
	return before + "/models/:" + verb
}
