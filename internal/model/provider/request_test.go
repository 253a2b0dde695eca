package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/model"
)

// An id of a call has the letters and the length that its provider takes, stays
// what it is where it can, and is never that of another.
func TestCallIDs(t *testing.T) {
	const letters = "^[a-zA-Z0-9_-]{1,40}$"
	takes := map[Kind]string{Anthropic: letters, OpenAI: letters, OpenRouter: "^[^~]+$", Compatible: "^[^~]+$", Gemini: "."}
	ids := []string{"toolu_01AbC", "toolu_01AbC~2", "toolu_01AbC_2", "~2", "~3", "functions.look:0", "functions.look:0~2",
		strings.Repeat("x", 50), strings.Repeat("x", 51), "ü", "call_1 2"}
	for kind, want := range takes {
		seen := map[string]string{}
		for _, id := range ids {
			got := kind.callID(id)
			if !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%s: %q became %q", kind, id, got)
			}
			if regexp.MustCompile(want).MatchString(id) && got != id {
				t.Errorf("%s: %q need not become %q", kind, id, got)
			}
			if other, taken := seen[got]; taken || got != kind.callID(id) {
				t.Errorf("%s: %q and %q become %q", kind, id, other, got)
			}
			seen[got] = id
		}
	}
}

// OpenAI's models are asked in the format that they have, and those that think
// for their thoughts, which the others refuse.
func TestOpenAIModels(t *testing.T) {
	for name, want := range map[string]string{
		"gpt-5": "responses thinks", "gpt-5.6-sol": "responses thinks", "o4-mini": "responses thinks", "o3": "responses thinks",
		"codex-mini-latest": "responses thinks", "gpt-10": "responses thinks", "gpt-5-chat-latest": "responses", "gpt-4o": "responses",
		"gpt-4.1-nano": "responses", "gpt-4": "responses", "gpt-3.5-turbo": "responses", "gpt-35-turbo": "chat", "other-1": "chat", "davinci-002": "chat",
	} {
		p := Provider{Name: "openai", Kind: OpenAI, BaseURL: "https://example.com"}
		f, err := p.format(name)
		if err != nil {
			t.Fatal(err)
		}
		path, body := f.request(prompt{model: name})
		got := map[string]string{"/responses": "responses", "/chat/completions": "chat"}[path]
		if r, ok := body.(responsesRequest); ok && len(r.Include) > 0 {
			got += " thinks"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Gemini's schema keeps what it has a word for and nothing else. What comes back
// as "json" is in the other of its forms.
func TestGeminiSchema(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"nothing", `{}`, `null`},
		{"what it does not know",
			`{"type":"object","properties":{"a":{"type":"string","enum":["x","","y"],"minLength":1}},"required":["a","b"],"additionalProperties":false}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING","enum":["x","y"]}},"required":["a"]}`},
		{"what is not said",
			`{"properties":{"a":{"type":["integer","null"],"enum":[1,2]},"b":{},"c":{"type":"array"},"d":{"items":{"type":"number"}}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"INTEGER","nullable":true},"b":{"type":"STRING"},"c":{"type":"ARRAY","items":{"type":"STRING"}},"d":{"type":"ARRAY","items":{"type":"NUMBER"}}}}`},
		{"what is inside",
			`{"properties":{"a":{"type":"array","items":{"properties":{"x":{"type":"boolean","description":"d"}},"required":["x"]}}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"ARRAY","items":{"type":"OBJECT","properties":{"x":{"type":"BOOLEAN","description":"d"}},"required":["x"]}}}}`},
		{"what is for another type",
			`{"properties":{"a":{"type":"string","properties":{"x":{}},"required":["x"],"items":{}}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}`},

		{"an object without properties",
			`{"properties":{"task":{"type":"string","enum":["x"]},"context":{"type":["object","null"],"description":"facts"}},"required":["task"]}`,
			`json {"properties":{"context":{"description":"facts","type":["object","null"]},"task":{"enum":["x"],"type":"string"}},"required":["task"],"type":"object"}`},
		{"objects without properties in a list and in a choice",
			`{"properties":{"a":{"type":"array","items":{"type":"object"}},"b":{"anyOf":[{"type":"object","properties":{}},{"type":"number"}]}}}`,
			`json {"properties":{"a":{"items":{"type":"object"},"type":"array"},"b":{"anyOf":[{"type":"object"},{"type":"number"}]}},"type":"object"}`},
		{"properties of any name",
			`{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":{"type":"integer"}}}`,
			`json {"additionalProperties":{"additionalProperties":{"type":"integer"},"properties":{"x":{"type":"string"}},"type":"object"},"type":"object"}`},

		{"a choice of one and null",
			`{"properties":{"a":{"description":"d","anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]},"b":{"oneOf":[{"const":null},{"type":"string","description":"own"}]}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"ARRAY","description":"d","nullable":true,"items":{"type":"INTEGER"}},"b":{"type":"STRING","description":"own","nullable":true}}}`},
		{"a choice beside a type",
			`{"properties":{"a":{"type":"string","anyOf":[{"format":"date"},{"format":"time"}]},"b":{"properties":{"x":{},"y":{}},"anyOf":[{"required":["x"]},{"required":["y"]}]}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"OBJECT","properties":{"x":{"type":"STRING"},"y":{"type":"STRING"}}}}}`},
		{"a choice",
			`{"properties":{"a":{"description":"d","anyOf":[{"type":"string"},{"type":"null"},{"type":"number","description":"own"}]}}}`,
			`{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING","description":"d","nullable":true},{"type":"NUMBER","description":"d own","nullable":true}]}}}`},
		{"a choice in a choice",
			`{"properties":{"a":{"description":"d","anyOf":[{"type":"string"},{"oneOf":[{"type":"number"},{"type":"boolean"}]}]}}}`,
			`{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING","description":"d"},{"anyOf":[{"type":"NUMBER","description":"d"},{"type":"BOOLEAN","description":"d"}]}]}}}`},

		{"references",
			`{"properties":{"a":{"$ref":"#/$defs/A","description":"mine"},"b":{"anyOf":[{"$ref":"#/definitions/b~1c"},{"type":"null"}]},"c":{"$ref":"#/$defs/none"},"d":{"$ref":"http://x/y"}},
			  "$defs":{"A":{"type":"object","description":"its","properties":{"x":{"$ref":"#/definitions/b~1c"}},"required":["x"]}},"definitions":{"b/c":{"type":"integer"}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"OBJECT","description":"mine","properties":{"x":{"type":"INTEGER"}},"required":["x"]},"b":{"type":"INTEGER","nullable":true},"c":{"type":"STRING"},"d":{"type":"STRING"}}}`},
		{"a reference at the top",
			`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}}}`,
			`{"type":"OBJECT","properties":{"x":{"type":"INTEGER"}},"required":["x"]}`},
		{"a schema that contains itself",
			`{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"properties":{"n":{"type":"integer"},"list":{"type":"array","items":{"$ref":"#/$defs/A"}}}}}}`,
			`json {"properties":{"a":{"properties":{"list":{"items":{"type":"object"},"type":"array"},"n":{"type":"integer"}},"type":"object"}},"type":"object"}`},
		{"a schema that is itself",
			`{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}`},

		{"all of several",
			`{"properties":{"a":{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"y":{"type":"integer"}},"required":["y"]}],"properties":{"x":{"type":"number"}},"required":["x"]}},
			  "$defs":{"A":{"type":"object","description":"its","properties":{"x":{"type":"string"},"z":{"type":"boolean"}}}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"OBJECT","description":"its","properties":{"x":{"type":"NUMBER"},"y":{"type":"INTEGER"},"z":{"type":"BOOLEAN"}},"required":["x","y"]}}}`},
		{"one value",
			`{"properties":{"a":{"const":"x"},"b":{"const":5},"c":{"oneOf":[{"const":"p"},{"type":"string","const":"q"}]}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING","enum":["x"]},"b":{"type":"NUMBER"},"c":{"anyOf":[{"type":"STRING","enum":["p"]},{"type":"STRING","enum":["q"]}]}}}`},
	} {
		read := readSchema(json.RawMessage(c.given))
		f := geminiFunctionOf(tool{schema: read})
		got, err := json.Marshal(f.Parameters)
		if f.JSONSchema != nil {
			if f.Parameters != nil {
				t.Errorf("%s: both forms are used", c.name)
			}
			got, err = json.Marshal(f.JSONSchema)
			got = append([]byte("json "), got...)
		}
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\n%s, want\n%s (%v)", c.name, got, c.want, err)
		}
		if diff := cmp.Diff(readSchema(json.RawMessage(c.given)), read); diff != "" {
			t.Errorf("%s: the tool's own schema was changed:\n%s", c.name, diff)
		}
	}
}

// A few schemas that refer to each other twice stand for more than can be sent.
func TestGeminiSchemaHasAnEnd(t *testing.T) {
	for _, twice := range []string{`"properties":{"a":{"$ref":"#/$defs/%[2]d"},"b":{"$ref":"#/$defs/%[2]d"}}`, `"allOf":[{"properties":{"x":{"$ref":"#/$defs/%[2]d"}}},{"$ref":"#/$defs/%[2]d"}]`} {
		var defs []string
		for i := range 30 {
			defs = append(defs, fmt.Sprintf(`"%d":{`+twice+`}`, i, i+1))
		}
		schema := `{"properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
		f := geminiFunctionOf(tool{schema: readSchema(json.RawMessage(schema))})
		if got, err := json.Marshal(f); err != nil || len(got) > 1<<20 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// Thoughts that come in pieces go back in one, with what nobody else can read.
func TestDetailsOfThoughts(t *testing.T) {
	var d chatDetails
	for _, piece := range []string{
		`{"type":"reasoning.text","text":"I ","index":0,"format":"x"}`, `{"type":"reasoning.text","text":"look.","index":0}`,
		`{"type":"reasoning.text","signature":"s","index":0}`, `{"type":"reasoning.encrypted","data":"e","id":"1","index":0}`,
		`{"type":"reasoning.encrypted","data":"f","id":"2","index":0}`, `7`, `null`,
	} {
		d.add([]json.RawMessage{json.RawMessage(piece)})
	}
	var to draft
	d.put(&to)
	want := `[{"format":"x","index":0,"signature":"s","text":"I look.","type":"reasoning.text"},` +
		`{"data":"e","id":"1","index":0,"type":"reasoning.encrypted"},{"data":"f","id":"2","index":0,"type":"reasoning.encrypted"}]`
	if diff := cmp.Diff(want, string(to.parts[0].raw)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A reply that an earlier version stored in the middle of a turn is still sent
// back with its signature, or as a text and its calls.
func TestThoughtsStoredEarlier(t *testing.T) {
	call := model.Call{ID: "a", Name: "look", Args: json.RawMessage(`{}`)}
	for _, c := range []struct {
		kind            Kind
		format          format
		stored, has, no string
	}{
		{Gemini, geminiFormat{}, `[{"thought":"Hm."},{"text":"I look."},{"thought":"","signature":"/v8A"},{"call":true}]`, `{"thoughtSignature":"/v8A","functionCall":{"id":"a"`, "Hm."},
		{Compatible, chatFormat{}, `[{"thought":"Hm."},{"text":"I look."},{"call":true}]`, `"reasoning_content":"Hm."`, "Hm.Hm."},
		{Anthropic, anthropicFormat{}, `[{"thought":"Hm.","options":{"anthropic":{"type":"x","data":{"signature":"s","redacted_data":""}}}},{"text":"I look."},{"call":true}]`, `{"type":"thinking","thinking":"Hm.","signature":"s"}`, "redacted"},
		{Anthropic, anthropicFormat{}, `[{"thought":"","options":{"anthropic":{"type":"x","data":{"signature":"","redacted_data":"r"}}}},{"text":"I look."},{"call":true}]`, `{"type":"redacted_thinking","data":"r"}`, "options"},
		{OpenAI, responsesFormat{}, `[{"thought":"","raw":{"type":"reasoning","id":"i","encrypted_content":"e"}},{"text":"I look."},{"call":true}]`, `{"type":"reasoning","id":"i","summary":[],"encrypted_content":"e"}`, "null"},
	} {
		m := &Model{provider: Provider{Kind: c.kind}, name: "m", format: c.format, limiter: newLimiter()}
		body := string(bodyOf(t, m, model.Request{Messages: []model.Message{{Role: model.User, Text: "Look."}, {Role: model.Assistant, Text: "I look.",
			Calls: []model.Call{call}, Private: json.RawMessage(`{"kind":"` + string(c.kind) + `","model":"m","parts":` + c.stored + `}`)}}}))
		if !strings.Contains(body, c.has) || strings.Contains(body, c.no) || strings.Count(body, "I look.") != 1 {
			t.Errorf("%s: %s", c.kind, body)
		}
	}
}
