package provider

import (
	"encoding/json"
	"strings"

	"charm.land/fantasy"

	"parley/internal/model"
)

// gathering puts a reply together from its pieces.
type gathering struct {
	open   map[string]*block // by id: texts and thoughts under way
	order  []*block
	inputs map[string]string // arguments as they came, by the call's id
	finish fantasy.FinishReason
	usage  fantasy.Usage
	meta   fantasy.ProviderMetadata
	err    error
}

// block is a text or a thought under way, or a call.
type block struct {
	text    strings.Builder
	thought bool
	call    *fantasy.ToolCallPart
	options fantasy.ProviderOptions
}

// take adds a piece and returns what of it can be shown.
func (g *gathering) take(p fantasy.StreamPart) string {
	switch p.Type {
	case fantasy.StreamPartTypeTextDelta:
		g.block("text "+p.ID, false).text.WriteString(p.Delta)
		return p.Delta
	case fantasy.StreamPartTypeTextEnd:
		delete(g.open, "text "+p.ID)
	case fantasy.StreamPartTypeReasoningStart, fantasy.StreamPartTypeReasoningDelta, fantasy.StreamPartTypeReasoningEnd:
		g.takeThought(p)
	case fantasy.StreamPartTypeToolInputStart, fantasy.StreamPartTypeToolInputDelta:
		g.takeInput(p.ID, p.ToolCallInput+p.Delta) // Anthropic's come in the one, the others' in the other
	case fantasy.StreamPartTypeToolCall:
		if !p.ProviderExecuted {
			g.takeCall(p.ID, p.ToolCallName, p.ToolCallInput)
		}
	case fantasy.StreamPartTypeError:
		g.err = p.Error
	case fantasy.StreamPartTypeFinish:
		g.finish, g.usage, g.meta = p.FinishReason, p.Usage, p.ProviderMetadata
	}
	return ""
}

func (g *gathering) takeInput(id, piece string) {
	if g.inputs == nil {
		g.inputs = map[string]string{}
	}
	g.inputs[id] += piece
}

// takeCall adds a call. If its arguments came as something else than JSON, they
// stay that: the library makes an empty object of them, and a tool would run
// with arguments that the model never gave.
func (g *gathering) takeCall(id, name, input string) {
	if came := strings.TrimSpace(g.inputs[id]); came != "" && !json.Valid([]byte(came)) {
		input = came
	}
	g.add(&block{call: &fantasy.ToolCallPart{ToolCallID: id, ToolName: name, Input: input}})
}

func (g *gathering) takeThought(p fantasy.StreamPart) {
	b := g.block("thought "+p.ID, true)
	b.text.WriteString(p.Delta)
	if len(p.ProviderMetadata) > 0 {
		b.options = fantasy.ProviderOptions(p.ProviderMetadata)
	}
	if p.Type == fantasy.StreamPartTypeReasoningEnd {
		delete(g.open, "thought "+p.ID)
	}
}

func (g *gathering) block(id string, thought bool) *block {
	if b := g.open[id]; b != nil {
		return b
	}
	b := &block{thought: thought}
	if g.open == nil {
		g.open = map[string]*block{}
	}
	g.open[id] = b
	g.add(b)
	return b
}

func (g *gathering) add(b *block) { g.order = append(g.order, b) }

// takeWhole takes a reply that came in one piece.
func (g *gathering) takeWhole(r *fantasy.Response) {
	for _, c := range r.Content {
		switch c := c.(type) {
		case fantasy.TextContent:
			b := &block{}
			b.text.WriteString(c.Text)
			g.add(b)
		case fantasy.ReasoningContent:
			b := &block{thought: true, options: fantasy.ProviderOptions(c.ProviderMetadata)}
			b.text.WriteString(c.Text)
			g.add(b)
		case fantasy.ToolCallContent:
			if !c.ProviderExecuted {
				g.takeInput(c.ToolCallID, c.Input)
				g.takeCall(c.ToolCallID, c.ToolName, c.Input)
			}
		}
	}
	g.finish, g.usage, g.meta = r.FinishReason, r.Usage, r.ProviderMetadata
}

// reply is what was gathered, in our words.
func (g *gathering) reply() (r model.Reply, parts []fantasy.MessagePart) {
	var text strings.Builder
	for _, b := range g.order {
		switch {
		case b.call != nil:
			r.Calls = append(r.Calls, model.Call{ID: b.call.ToolCallID, Name: b.call.ToolName, Args: argsOf(b.call.Input)})
			parts = append(parts, *b.call)
		case b.thought:
			parts = append(parts, fantasy.ReasoningPart{Text: b.text.String(), ProviderOptions: b.options})
		case b.text.Len() > 0:
			text.WriteString(b.text.String())
			parts = append(parts, fantasy.TextPart{Text: b.text.String()})
		}
	}
	r.Text = text.String()
	return r, parts
}

// argsOf makes arguments that can be stored. What is not JSON becomes a text,
// which no tool takes: the model is told that it has to send an object.
func argsOf(input string) json.RawMessage {
	input = strings.TrimSpace(input)
	switch {
	case input == "" || input == "null":
		return json.RawMessage("{}")
	case json.Valid([]byte(input)):
		return json.RawMessage(input)
	}
	text, err := json.Marshal(input)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}
