package provider

import (
	"bytes"
	"encoding/json"
	"strings"
)

// secret is a key. It is never printed.
type secret string

func (secret) String() string   { return "[key]" }
func (secret) GoString() string { return "[key]" }

// hide takes the key out of a text that a provider wrote.
func (s secret) hide(text string) string {
	if len(s) < 4 { // no key, and every text contains it
		return text
	}
	return strings.ReplaceAll(text, string(s), s.String())
}

// hideJSON takes the key out of a JSON value, also if it is written there with
// escapes. A value without it stays as it is, to the letter.
func (s secret) hideJSON(raw json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return raw
	}
	clean, found := s.hideIn(value)
	if !found && s.hide(string(raw)) == string(raw) {
		return raw
	}
	made, err := json.Marshal(clean)
	if err != nil {
		return json.RawMessage("{}")
	}
	return made
}

func (s secret) hideIn(value any) (clean any, found bool) {
	switch v := value.(type) {
	case string:
		clean := s.hide(v)
		return clean, clean != v
	case json.Number:
		if clean := s.hide(v.String()); clean != v.String() {
			return clean, true
		}
	case []any:
		for i := range v {
			var here bool
			v[i], here = s.hideIn(v[i])
			found = found || here
		}
	case map[string]any:
		made := make(map[string]any, len(v))
		for name, inner := range v {
			name, here := s.hide(name), s.hide(name) != name
			inner, below := s.hideIn(inner)
			made[name] = inner
			found = found || here || below
		}
		return made, found
	}
	return value, found
}

// hide takes the key out of a reply. What is signed or encrypted goes back as it
// came or not at all: if the key is in it, the reply is not intact, and nothing
// is kept for the provider.
func (d *draft) hide(key secret) (intact bool) {
	intact = true
	for _, p := range d.parts {
		body := p.body.String()
		clean := key.hide(body)
		if p.kind == callPart {
			body = string(argsOf(body))
			clean = string(key.hideJSON(json.RawMessage(body)))
			p.id, p.name = key.hide(p.id), key.hide(p.name)
		}
		changed := clean != body
		if changed {
			p.body.Reset()
			p.body.WriteString(clean)
		}
		signed := p.signature != "" || p.raw != nil
		if changed && signed || key.hide(p.signature) != p.signature || p.raw != nil && !bytes.Equal(key.hideJSON(p.raw), p.raw) {
			intact = false
		}
	}
	return intact
}
