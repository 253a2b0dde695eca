package provider

import (
	"cmp"
	"encoding/json"

	"parley/internal/model"
)

// private is a reply as the provider wants to see it again: in the order of its
// parts, with its thoughts and their signatures. Another model cannot read it.
type private struct {
	Kind  Kind          `json:"kind"`
	Model string        `json:"model"`
	Parts []privatePart `json:"parts"`
}

// privatePart is a text, one of the reply's calls, or a thought.
type privatePart struct {
	Text string `json:"text,omitempty"`
	Call bool   `json:"call,omitempty"`
	// Thought may be empty and still carry a signature.
	Thought   *string         `json:"thought,omitempty"`
	Field     string          `json:"field,omitempty"` // that the thought came in
	Signature string          `json:"signature,omitempty"`
	Raw       json.RawMessage `json:"raw,omitempty"`
	Options   privateOptions  `json:"options,omitzero"`
}

// privateOptions is where an earlier version had the signature of Anthropic's
// thoughts, and those that only Anthropic can read. It is only read.
type privateOptions struct {
	Anthropic struct {
		Data struct {
			Signature string `json:"signature"`
			Redacted  string `json:"redacted_data"`
		} `json:"data"`
	} `json:"anthropic"`
}

// keep makes what is stored with a reply, or nil if there is nothing that its
// text and its calls do not say. Thoughts without a signature, of a provider
// that signs them, are of no use to it.
func (m *Model) keep(parts []*part) json.RawMessage {
	p := private{Kind: m.provider.Kind, Model: m.name}
	needed := false
	for _, part := range parts {
		wanted := part.signature != "" || part.raw != nil || part.kind == thoughtPart && part.name != ""
		needed = needed || wanted
		kept := privatePart{Signature: part.signature, Raw: part.raw}
		switch text := part.body.String(); part.kind {
		case callPart:
			kept.Call = true
		case textPart:
			kept.Text = text
		case thoughtPart:
			if !wanted {
				continue
			}
			kept.Thought, kept.Field = &text, part.name
		}
		p.Parts = append(p.Parts, kept)
	}
	if !needed {
		return nil
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return raw
}

// recall rebuilds the parts of a reply from what was kept, if this model made
// it. The calls are those of the message: their ids may have been changed.
func (m *Model) recall(msg model.Message) ([]*part, bool) {
	var p private
	if len(msg.Private) == 0 || json.Unmarshal(msg.Private, &p) != nil || p.Kind != m.provider.Kind || p.Model != m.name {
		return nil, false
	}
	var d draft
	calls := msg.Calls
	for _, kept := range p.Parts {
		var made *part
		switch {
		case kept.Call && len(calls) == 0:
			return nil, false
		case kept.Call:
			made = d.add(callPart, string(objectOf(calls[0].Args)))
			made.id, made.name = calls[0].ID, calls[0].Name
			calls = calls[1:]
		case kept.Thought != nil:
			made = d.add(thoughtPart, *kept.Thought)
			made.name = kept.Field
		default:
			made = d.add(textPart, kept.Text)
		}
		old := kept.Options.Anthropic.Data
		made.signature, made.raw = cmp.Or(kept.Signature, old.Signature), kept.Raw
		if old.Redacted != "" {
			made.raw = redactedThought(old.Redacted)
		}
	}
	return d.parts, len(calls) == 0
}
