package provider

import (
	"encoding/json"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/google"

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
	Thought   *string                    `json:"thought,omitempty"`
	Options   map[string]json.RawMessage `json:"options,omitempty"`
	Signature []byte                     `json:"signature,omitempty"` // Gemini's, which is not text
}

// keep makes what is stored with a reply, or nil if there is nothing that its
// text and its calls do not say. OpenAI does not take thoughts back.
func (m *Model) keep(parts []fantasy.MessagePart) json.RawMessage {
	p := private{Kind: m.provider.Kind, Model: m.name}
	thoughts := false
	for _, part := range parts {
		kept := privatePart{}
		switch part := part.(type) {
		case fantasy.TextPart:
			kept.Text = part.Text
		case fantasy.ToolCallPart:
			kept.Call = true
		case fantasy.ReasoningPart:
			thoughts = true
			kept = thought(part)
		}
		p.Parts = append(p.Parts, kept)
	}
	if !thoughts || m.provider.Kind == OpenAI {
		return nil
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return raw
}

func thought(part fantasy.ReasoningPart) privatePart {
	kept := privatePart{Thought: &part.Text}
	for name, data := range part.ProviderOptions {
		if g, ok := data.(*google.ReasoningMetadata); ok {
			kept.Signature = []byte(g.Signature)
			continue
		}
		raw, err := json.Marshal(data)
		if err != nil {
			continue
		}
		if kept.Options == nil {
			kept.Options = map[string]json.RawMessage{}
		}
		kept.Options[name] = raw
	}
	return kept
}

// recall rebuilds the parts of a reply from what was kept, if this model made
// it. The calls are those of the message: their ids may have been changed.
func (m *Model) recall(msg model.Message) ([]fantasy.MessagePart, bool) {
	var p private
	if len(msg.Private) == 0 || json.Unmarshal(msg.Private, &p) != nil || p.Kind != m.provider.Kind || p.Model != m.name {
		return nil, false
	}
	var parts []fantasy.MessagePart
	calls := msg.Calls
	for _, kept := range p.Parts {
		switch {
		case kept.Call && len(calls) == 0:
			return nil, false
		case kept.Call:
			parts = append(parts, callPart(calls[0]))
			calls = calls[1:]
		case kept.Thought != nil:
			parts = append(parts, kept.thought())
		case kept.Text != "":
			parts = append(parts, fantasy.TextPart{Text: kept.Text})
		}
	}
	return parts, len(calls) == 0
}

func (p privatePart) thought() fantasy.ReasoningPart {
	part := fantasy.ReasoningPart{Text: *p.Thought}
	if p.Signature != nil {
		part.ProviderOptions = fantasy.ProviderOptions{google.Name: &google.ReasoningMetadata{Signature: string(p.Signature)}}
		return part
	}
	if options, err := fantasy.UnmarshalProviderOptions(p.Options); err == nil {
		part.ProviderOptions = options
	}
	return part
}
