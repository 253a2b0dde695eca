package provider

import (
	"encoding/json"
	"strings"

	"parley/internal/model"
)

// anthropicFormat is Anthropic's Messages.
type anthropicFormat struct{}

type anthropicRequest struct {
	Model     string             `json:"model"`
	MaxTokens int                `json:"max_tokens"`
	System    []anthropicBlock   `json:"system,omitempty"`
	Messages  []anthropicMessage `json:"messages"`
	Tools     []anthropicTool    `json:"tools,omitempty"`
	Stream    bool               `json:"stream,omitempty"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

// anthropicBlock is a part of a message, ours or the model's.
type anthropicBlock struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// A thought, or one that only Anthropic can read.
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
	// A call.
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// Its result.
	ToolUseID string           `json:"tool_use_id,omitempty"`
	Content   []anthropicBlock `json:"content,omitempty"`
	IsError   bool             `json:"is_error,omitempty"`

	Cache *anthropicCache `json:"cache_control,omitempty"`
}

type anthropicCache struct {
	Type string `json:"type"`
}

type anthropicTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"input_schema"`
}

// keepSoFar asks Anthropic to keep everything up to here for the next request.
var keepSoFar = &anthropicCache{"ephemeral"}

func (anthropicFormat) request(p prompt) (path string, body any) {
	r := anthropicRequest{Model: p.model, MaxTokens: p.output, Stream: p.stream}
	if r.MaxTokens == 0 {
		r.MaxTokens = defaultReply // it insists on a bound
	}
	for _, s := range p.system {
		b := anthropicBlock{Type: "text", Text: s.text}
		if s.marked {
			b.Cache = keepSoFar
		}
		r.System = append(r.System, b)
	}
	for _, msg := range p.messages {
		role, blocks := anthropicBlocks(msg)
		if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role { // the roles take turns
			r.Messages[n-1].Content = append(r.Messages[n-1].Content, blocks...)
		} else if len(blocks) > 0 {
			r.Messages = append(r.Messages, anthropicMessage{role, blocks})
		}
	}
	if n := len(r.Messages); n > 0 { // the conversation so far is sent again with the next step
		content := r.Messages[n-1].Content
		if last := &content[len(content)-1]; last.Type != "thinking" && last.Type != "redacted_thinking" {
			last.Cache = keepSoFar
		}
	}
	for _, t := range p.tools {
		r.Tools = append(r.Tools, anthropicTool{t.name, t.description, t.schema})
	}
	return "/v1/messages", r
}

func anthropicBlocks(msg message) (role string, blocks []anthropicBlock) {
	switch msg.role {
	case model.Assistant:
		for _, p := range msg.parts {
			if b, ok := anthropicPart(p); ok {
				blocks = append(blocks, b)
			}
		}
		return "assistant", blocks
	case model.ToolResult:
		return "user", []anthropicBlock{{Type: "tool_result", ToolUseID: msg.id, IsError: msg.failed,
			Content: []anthropicBlock{{Type: "text", Text: msg.text}}}}
	}
	return "user", []anthropicBlock{{Type: "text", Text: msg.text}}
}

func anthropicPart(p *part) (b anthropicBlock, ok bool) {
	text := p.body.String()
	switch {
	case p.raw != nil:
		return b, json.Unmarshal(p.raw, &b) == nil && b.Type != ""
	case p.kind == callPart:
		return anthropicBlock{Type: "tool_use", ID: p.id, Name: p.name, Input: json.RawMessage(text)}, true
	case p.kind == thoughtPart:
		return anthropicBlock{Type: "thinking", Thinking: &text, Signature: p.signature}, p.signature != ""
	}
	return anthropicBlock{Type: "text", Text: text}, strings.TrimSpace(text) != "" // which is refused
}

type anthropicUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

// count takes what is said; a stream says it in two places.
func (u *anthropicUsage) count(to *model.Usage) {
	for _, n := range []struct {
		said *int64
		to   *int64
	}{{u.Input, &to.Input}, {u.Output, &to.Output}, {u.CacheRead, &to.CacheRead}, {u.CacheWrite, &to.CacheWrite}} {
		if n.said != nil {
			*n.to = *n.said
		}
	}
}

func anthropicEnding(reason string) ending {
	switch reason {
	case "":
		return ""
	case "max_tokens", "model_context_window_exceeded":
		return cut
	case "refusal":
		return filtered
	}
	return done
}

// anthropicReader reads a reply.
type anthropicReader struct {
	*draft
	open map[int]*part // of a stream, by their index
}

func (anthropicFormat) reader(d *draft) reader { return &anthropicReader{d, map[int]*part{}} }

func (r *anthropicReader) whole(data []byte) error {
	var m struct {
		Content    []anthropicBlock `json:"content"`
		StopReason string           `json:"stop_reason"`
		Usage      anthropicUsage   `json:"usage"`
		Error      json.RawMessage  `json:"error"`
	}
	if err := unmarshal(data, &m, &m.Error); err != nil {
		return err
	}
	for _, b := range m.Content {
		r.begin(b)
	}
	m.Usage.count(&r.usage)
	r.end = anthropicEnding(m.StopReason)
	return nil
}

// begin takes a block, or the beginning of one. Blocks of other types are what
// the provider did by itself.
func (r *anthropicReader) begin(b anthropicBlock) *part {
	switch b.Type {
	case "text":
		p := r.add(textPart, b.Text)
		r.show(b.Text)
		return p
	case "thinking":
		p := r.add(thoughtPart, "")
		if b.Thinking != nil {
			p.body.WriteString(*b.Thinking)
		}
		p.signature = b.Signature
		return p
	case "redacted_thinking":
		p := r.add(thoughtPart, "")
		p.raw = redactedThought(b.Data)
		return p
	case "tool_use":
		args := string(b.Input)
		if args == "{}" {
			args = "" // a stream begins with it and sends the arguments after
		}
		return r.call(b.ID, b.Name, args)
	}
	return nil
}

// redactedThought is a thought that only Anthropic can read.
func redactedThought(data string) json.RawMessage {
	raw, _ := json.Marshal(anthropicBlock{Type: "redacted_thinking", Data: data}) // of two texts
	return raw
}

func (r *anthropicReader) event(data []byte) error {
	var e struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Usage anthropicUsage `json:"usage"`
		} `json:"message"`
		Block anthropicBlock  `json:"content_block"`
		Delta anthropicDelta  `json:"delta"`
		Usage anthropicUsage  `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := unmarshal(data, &e, &e.Error); err != nil {
		return err
	}
	switch e.Type {
	case "message_start":
		e.Message.Usage.count(&r.usage)
	case "content_block_start":
		r.open[e.Index] = r.begin(e.Block)
	case "content_block_delta":
		r.delta(r.open[e.Index], e.Delta)
	case "content_block_stop":
		delete(r.open, e.Index)
	case "message_delta":
		e.Usage.count(&r.usage)
		r.end = anthropicEnding(e.Delta.StopReason)
	case "message_stop":
		return errDone
	}
	return nil
}

type anthropicDelta struct {
	Type       string `json:"type"`
	Text       string `json:"text"`
	Thinking   string `json:"thinking"`
	Signature  string `json:"signature"`
	JSON       string `json:"partial_json"`
	StopReason string `json:"stop_reason"`
}

func (r *anthropicReader) delta(p *part, d anthropicDelta) {
	if p == nil {
		return // of a block that is not ours
	}
	switch d.Type {
	case "text_delta":
		p.body.WriteString(d.Text)
		r.show(d.Text)
	case "thinking_delta":
		p.body.WriteString(d.Thinking)
	case "signature_delta":
		p.signature += d.Signature
	case "input_json_delta":
		p.body.WriteString(d.JSON)
	}
}
