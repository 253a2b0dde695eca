package provider

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley"
)

// refusal is what a provider says when it refuses a request. Some repeat the request
// in it, so that what decides about more than this request is looked for only where the
// provider speaks itself.
type refusal struct {
	text    string // a short sentence for people
	message string // the provider's own words, in small letters
	code    string // its own name for the failure, in small letters
	all     string // the whole body, in small letters
}

// refusalBody is where providers put what they say. Every one of them uses some of the
// fields, at the top or below "error", some in a list of one.
type refusalBody struct {
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Code    json.RawMessage `json:"code"`
	Type    json.RawMessage `json:"type"`
	// Context and Prompt are llama.cpp's figures.
	Context json.RawMessage `json:"n_ctx"`
	Prompt  json.RawMessage `json:"n_prompt_tokens"`
	// Metadata has what another provider said, which OpenRouter passes on.
	Metadata struct {
		Raw json.RawMessage `json:"raw"`
	} `json:"metadata"`
}

func readRefusal(body string) refusal {
	r := refusal{text: sentence(body), all: strings.ToLower(body)}
	var top, inner refusalBody
	var list []refusalBody
	switch {
	case json.Unmarshal([]byte(body), &list) == nil && len(list) > 0:
		top = list[0]
	case json.Unmarshal([]byte(body), &top) != nil:
		if trimmed := strings.TrimSpace(body); !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
			r.message = r.all // no JSON, nor the beginning of one
		}
		return r
	}
	_ = json.Unmarshal(top.Error, &inner) // a text is no object, and is read below
	for _, raw := range []json.RawMessage{inner.Message, top.Error, top.Message, top.Detail} {
		if s := textIn(raw); s != "" {
			r.text, r.message = sentence(s), strings.ToLower(s)
			break
		}
	}
	r.message += strings.ToLower(inner.figures() + top.figures())
	for _, raw := range []json.RawMessage{inner.Code, inner.Type, top.Code, top.Type} {
		r.code += " " + strings.ToLower(textIn(raw))
	}
	if raw := textIn(inner.Metadata.Raw); raw != "" {
		passed := readRefusal(raw)
		r.message += " " + passed.message
		r.code += passed.code
	}
	return r
}

// figures are the numbers that stand beside the message, as they were written.
func (b *refusalBody) figures() (text string) {
	if n := bytes.TrimSpace(b.Context); len(n) > 0 {
		text += ` "n_ctx":` + string(n)
	}
	if n := bytes.TrimSpace(b.Prompt); len(n) > 0 {
		text += ` "n_prompt_tokens":` + string(n)
	}
	return text
}

// textIn is a JSON text; empty if it is something else.
func textIn(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

// sentence makes one short line of what somebody else wrote.
func sentence(s string) string {
	s = parley.Clip(strings.Join(strings.Fields(s), " "), 200)
	if s == "" {
		return "nothing."
	}
	if !strings.ContainsRune(".!?…", []rune(s)[len([]rune(s))-1]) {
		s += "."
	}
	return s
}
