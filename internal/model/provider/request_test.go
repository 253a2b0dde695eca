package provider

import (
	"encoding/json"
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

// Gemini's schema keeps what it has a word for and nothing else.
func TestGeminiSchema(t *testing.T) {
	for given, want := range map[string]string{
		`{}`: `null`,
		`{"type":"object","properties":{"a":{"type":"string","enum":["x","","y"],"minLength":1}},"required":["a","b"],"additionalProperties":false}`:                                                   `{"type":"OBJECT","properties":{"a":{"type":"STRING","enum":["x","y"]}},"required":["a"]}`,
		`{"properties":{"a":{"type":["integer","null"],"enum":[1,2]},"b":{},"c":{"type":"array"}}}`:                                                                                                    `{"type":"OBJECT","properties":{"a":{"type":"INTEGER","nullable":true},"b":{"type":"STRING"},"c":{"type":"ARRAY","items":{"type":"STRING"}}}}`,
		`{"properties":{"a":{"type":"array","items":{"properties":{"x":{"type":"boolean","description":"d"}},"required":["x"]}},"b":{"anyOf":[{"type":"string"},{"type":"null"},{"type":"number"}]}}}`: `{"type":"OBJECT","properties":{"a":{"type":"ARRAY","items":{"type":"OBJECT","properties":{"x":{"type":"BOOLEAN","description":"d"}},"required":["x"]}},"b":{"nullable":true,"anyOf":[{"type":"STRING"},{"type":"NUMBER"}]}}}`,
	} {
		got, err := json.Marshal(geminiParameters(readSchema(json.RawMessage(given))))
		if err != nil || string(got) != want {
			t.Errorf("%s:\n%s, want\n%s (%v)", given, got, want, err)
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
		{Anthropic, anthropicFormat{}, `[{"thought":"Hm.","options":{"anthropic":{"type":"x","data":{"signature":"s"}}}},{"text":"I look."},{"call":true}]`, `"I look."`, "Hm."},
	} {
		m := &Model{provider: Provider{Kind: c.kind}, name: "m", format: c.format}
		body := string(bodyOf(t, m, model.Request{Messages: []model.Message{{Role: model.User, Text: "Look."}, {Role: model.Assistant, Text: "I look.",
			Calls: []model.Call{call}, Private: json.RawMessage(`{"kind":"` + string(c.kind) + `","model":"m","parts":` + c.stored + `}`)}}}))
		if !strings.Contains(body, c.has) || strings.Contains(body, c.no) || strings.Count(body, "I look.") != 1 {
			t.Errorf("%s: %s", c.kind, body)
		}
	}
}
