package provider

import (
	"cmp"
	"encoding/json"
	"strings"

	"parley/internal/model"
)

// chatFormat is OpenAI's Chat Completions, which many others speak too.
type chatFormat struct {
	// usage asks for the cost, which OpenRouter tells.
	usage bool
}

type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Tools    []chatTool    `json:"tools,omitempty"`
	// Models that think want the second, and others know only the first.
	MaxTokens           int              `json:"max_tokens,omitempty"`
	MaxCompletionTokens int              `json:"max_completion_tokens,omitempty"`
	Stream              bool             `json:"stream,omitempty"`
	StreamOptions       *chatStreamUsage `json:"stream_options,omitempty"`
	Usage               *chatUsageWanted `json:"usage,omitempty"`
}

type chatStreamUsage struct {
	Include bool `json:"include_usage"`
}

type chatUsageWanted struct {
	Include bool `json:"include"`
}

type chatMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
	ToolCall  string     `json:"tool_call_id,omitempty"`
	// Thoughts go back under the name that they came with.
	ReasoningContent *string         `json:"reasoning_content,omitempty"`
	Reasoning        string          `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
		Strict      bool           `json:"strict"`
	} `json:"function"`
}

func (f chatFormat) request(p prompt) (path string, body any) {
	r := chatRequest{Model: p.model, Stream: p.stream}
	if inThinkingFamily(p.model) {
		r.MaxCompletionTokens = p.output
	} else {
		r.MaxTokens = p.output
	}
	if p.stream {
		r.StreamOptions = &chatStreamUsage{true}
	}
	if f.usage {
		r.Usage = &chatUsageWanted{true}
	}
	if system := p.joined(); system != "" {
		r.Messages = append(r.Messages, chatMessage{Role: "system", Content: &system})
	}
	for _, msg := range p.messages {
		r.Messages = append(r.Messages, chatMessageOf(msg))
	}
	for _, t := range p.tools {
		made := chatTool{Type: "function"}
		made.Function.Name, made.Function.Description, made.Function.Parameters = t.name, t.description, t.schema
		r.Tools = append(r.Tools, made)
	}
	return "/chat/completions", r
}

func chatMessageOf(msg message) chatMessage {
	switch msg.role {
	case model.Assistant:
		return chatAssistant(msg.parts)
	case model.ToolResult:
		return chatMessage{Role: "tool", Content: &msg.text, ToolCall: msg.id}
	}
	return chatMessage{Role: "user", Content: &msg.text}
}

func chatAssistant(parts []*part) chatMessage {
	m := chatMessage{Role: "assistant"}
	var text strings.Builder
	for _, p := range parts {
		said := p.body.String()
		switch {
		case p.kind == callPart:
			m.ToolCalls = append(m.ToolCalls, chatCall{p.id, "function", chatFunction{p.name, said}})
		case p.kind == textPart:
			text.WriteString(said)
		case p.raw != nil:
			m.ReasoningDetails = p.raw
		case p.name == "reasoning":
			m.Reasoning += said
		default:
			m.ReasoningContent = &said
		}
	}
	if said := text.String(); said != "" || len(m.ToolCalls) == 0 {
		m.Content = &said
	}
	return m
}

// chatReader reads a reply. A whole one has the shape of a stream's only chunk.
type chatReader struct {
	*draft
	calls   map[int]*part
	thought *part
	details chatDetails
}

func (chatFormat) reader(d *draft) reader { return &chatReader{draft: d, calls: map[int]*part{}} }

type chatChunk struct {
	Choices []struct {
		Index   int       `json:"index"`
		Delta   chatDelta `json:"delta"`
		Message chatDelta `json:"message"`
		Finish  string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Content          chatText          `json:"content"`
	Refusal          string            `json:"refusal"`
	Reasoning        chatText          `json:"reasoning"`
	ReasoningContent *chatText         `json:"reasoning_content"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []chatCallDelta   `json:"tool_calls"`
}

type chatCallDelta struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string   `json:"name"`
		Arguments chatText `json:"arguments"`
	} `json:"function"`
}

// chatText is a text, or what some servers send in its place: a list of parts
// with texts, or arguments as an object.
type chatText string

// UnmarshalJSON takes every form.
func (t *chatText) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	switch {
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(t))
	case data[0] == '[' && json.Unmarshal(data, &parts) == nil:
		for _, p := range parts {
			*t += chatText(p.Text)
		}
	case data[0] == '{':
		*t = chatText(data)
	}
	return nil
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Details    struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Written int64   `json:"cache_creation_input_tokens"` // Vercel's name for it
	Cost    float64 `json:"cost"`
}

// usage counts what was cached apart, and with the output what xAI leaves out of
// it: the thoughts.
func (u chatUsage) usage() model.Usage {
	written := cmp.Or(u.Details.Written, u.Written)
	return model.Usage{Input: max(u.Prompt-u.Details.Cached-written, 0), Output: max(u.Completion, u.Total-u.Prompt),
		CacheRead: u.Details.Cached, CacheWrite: written}
}

func (r *chatReader) whole(data []byte) error {
	if err := r.event(data); err != nil {
		return err
	}
	if r.end == "" && len(r.parts) > 0 { // some servers do not say it
		r.finish(done)
	}
	return nil
}

// finish ends the reply. What came of its thoughts so far is all of them.
func (r *chatReader) finish(e ending) {
	r.end = e
	r.details.put(r.draft)
}

func (r *chatReader) event(data []byte) error {
	if strings.TrimSpace(string(data)) == "[DONE]" {
		if r.end == "" {
			r.finish(done)
		}
		return errDone
	}
	var c chatChunk
	if err := unmarshal(data, &c, &c.Error); err != nil {
		return err
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		r.take(choice.Delta)
		r.take(choice.Message)
		if e := chatEnding(choice.Finish); e != "" {
			r.finish(e)
		}
	}
	if c.Usage != nil {
		r.usage, r.cost = c.Usage.usage(), c.Usage.Cost
	}
	return nil
}

func chatEnding(reason string) ending {
	switch reason {
	case "":
		return ""
	case "length":
		return cut
	case "content_filter":
		return filtered
	case "error", "insufficient_system_resource":
		return failed
	}
	return done
}

func (r *chatReader) take(d chatDelta) {
	if d.ReasoningContent != nil { // also if it is empty: who sends it wants it back
		r.think("reasoning_content", string(*d.ReasoningContent))
	} else if d.Reasoning != "" {
		r.think("reasoning", string(d.Reasoning))
	}
	r.details.add(d.ReasoningDetails)
	r.write(textPart, string(d.Content))
	r.refusal += d.Refusal
	for _, c := range d.ToolCalls {
		r.takeCall(c)
	}
}

func (r *chatReader) think(field, text string) {
	if r.thought == nil {
		r.thought = r.add(thoughtPart, "")
	}
	r.thought.name = field
	r.thought.body.WriteString(text)
}

// takeCall adds a piece of a call. Some servers number all calls alike and tell
// them apart by their ids, and some repeat id and name with every piece.
func (r *chatReader) takeCall(c chatCallDelta) {
	p := r.calls[c.Index]
	if p == nil || c.ID != "" && c.ID != p.id && c.Function.Name != "" {
		r.calls[c.Index] = r.call(c.ID, c.Function.Name, string(c.Function.Arguments))
		return
	}
	p.name = cmp.Or(p.name, c.Function.Name)
	p.body.WriteString(string(c.Function.Arguments))
}
