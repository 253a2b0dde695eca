package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/model"
)

// A provider that echoes the key, wherever in a reply, does not get it stored. The
// reply is used without it. What is signed or encrypted is not changed: if the key
// is in it, nothing is kept.
func TestAnEchoedKeyIsNotStored(t *testing.T) {
	const key = "sk-4711-not-to-be-seen"
	const args = `{"at":"KEY","n":12345678901234567890,"list":[{"KEY":"an \u0073k-4711-not-to-be-seen"}]}`
	quoted := strings.ReplaceAll(args, `"`, `\"`)
	quoted = strings.ReplaceAll(quoted, `\u`, `\\u`)
	for _, c := range []struct {
		name, kind, model, body string
		kept                    string // what is still there of what the provider wants back
	}{
		{"anthropic", "anthropic", "m", `{"content":[{"type":"thinking","thinking":"KEY","signature":"s"},{"type":"text","text":"It is KEY."},
			{"type":"tool_use","id":"a","name":"look","input":` + args + `}],"stop_reason":"tool_use"}`, ""},
		{"anthropic, not in its thoughts", "anthropic", "m", `{"content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"text","text":"It is KEY."},
			{"type":"tool_use","id":"a","name":"look","input":` + args + `}],"stop_reason":"tool_use"}`, `"Hm.","signature":"sig"`},
		{"anthropic, in two texts", "anthropic", "m", `{"content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"It is sk-4711-not"},
			{"type":"text","text":"-to-be-seen."},{"type":"tool_use","id":"a","name":"look","input":` + args + `}],"stop_reason":"tool_use"}`, ""},
		{"completions", "openai-compatible", "m", `{"choices":[{"index":0,"message":{"reasoning_content":"Hm, KEY","content":"It is KEY.",
			"tool_calls":[{"id":"a","function":{"name":"look","arguments":"` + quoted + `"}}]},"finish_reason":"tool_calls"}]}`, "Hm, [key]"},
		{"openrouter", "openrouter", "m", `{"choices":[{"index":0,"message":{"reasoning_details":[{"type":"reasoning.text","text":"KEY","signature":"s"}],"content":"It is KEY.",
			"tool_calls":[{"id":"a","function":{"name":"look","arguments":"` + quoted + `"}}]},"finish_reason":"tool_calls"}]}`, ""},
		{"responses", "openai", "gpt-5", `{"status":"completed","output":[{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"KEY"}],"encrypted_content":"e"},
			{"type":"message","content":[{"type":"output_text","text":"It is KEY."}]},{"type":"function_call","call_id":"a","name":"look","arguments":"` + quoted + `"}]}`, ""},
		{"responses, not in its thoughts", "openai", "gpt-5", `{"status":"completed","output":[{"type":"reasoning","id":"r","encrypted_content":"enc"},
			{"type":"message","content":[{"type":"output_text","text":"It is KEY."}]},{"type":"function_call","call_id":"a","name":"look","arguments":"` + quoted + `"}]}`, `"enc"`},
		{"gemini", "gemini", "m", `{"candidates":[{"content":{"parts":[{"text":"KEY","thought":true},{"text":"It is KEY.","thoughtSignature":"s"},
			{"functionCall":{"id":"a","name":"look","args":` + args + `}}]},"finishReason":"STOP"}]}`, ""},
		{"gemini, a signed call", "gemini", "m", `{"candidates":[{"content":{"parts":[{"text":"It is KEY."},
			{"functionCall":{"id":"a","name":"look","args":` + args + `},"thoughtSignature":"s"}]},"finishReason":"STOP"}]}`, ""},
	} {
		body := strings.ReplaceAll(c.body, "KEY", key)
		m, err := New(Config{Provider: Provider{Name: "test", Kind: Kind(c.kind), BaseURL: "https://example.com", Whole: true}, Name: c.model,
			Key: key, Attempts: 1, Client: &http.Client{Transport: replay{body, "application/json"}}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Step(t.Context(), model.Request{}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		stored, err := json.Marshal(r)
		if err != nil || strings.Contains(string(stored), key) || strings.Contains(string(stored), "0073k-4711") {
			t.Errorf("%s: the key is stored: %s (%v)", c.name, stored, err)
		}
		if r.Text != "It is [key]." || len(r.Calls) != 1 || string(r.Calls[0].Args) != `{"at":"[key]","list":[{"[key]":"an [key]"}],"n":12345678901234567890}` {
			t.Errorf("%s: %q, %s", c.name, r.Text, r.Calls)
		}
		if (r.Private != nil) != (c.kept != "") || !strings.Contains(string(r.Private), c.kept) {
			t.Errorf("%s: kept is %s, want %q", c.name, r.Private, c.kept)
		}
	}
}

// Arguments without the key stay as they are, to the letter.
func TestHideJSON(t *testing.T) {
	for given, want := range map[string]string{
		`{ "b": 1.0, "a": "\u0078" }`:        `{ "b": 1.0, "a": "\u0078" }`,
		`"no {json sk-4711"`:                 `"no {json [key]"`,
		`{"a":"sk-4711","a":"the last one"}`: `{"a":"the last one"}`,
		`[null,true,"x sk-4711 sk-4711"]`:    `[null,true,"x [key] [key]"]`,
	} {
		if got := secret("sk-4711").hideJSON(json.RawMessage(given)); string(got) != want {
			t.Errorf("%s became %s", given, got)
		}
		if got := secret("").hideJSON(json.RawMessage(given)); string(got) != given {
			t.Errorf("without a key %s became %s", given, got)
		}
	}
	if got := secret("4711471147").hideJSON(json.RawMessage(`{"n":4711471147}`)); string(got) != `{"n":"[key]"}` {
		t.Errorf("a number became %s", got)
	}
}
