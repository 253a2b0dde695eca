package wiretest

import (
	"encoding/json"

	"parley/internal/model"
)

// messages is Anthropic's format.
type messages struct{}

func (messages) read(body []byte, _ string) (Request, error) {
	var in struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	req := Request{Model: in.Model, Stream: in.Stream}
	req.System = texts(in.System)
	for _, m := range in.Messages {
		list, err := readContent(m.Role, m.Content)
		if err != nil {
			return req, err
		}
		req.Messages = append(req.Messages, list...)
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return req, nil
}

// readContent reads the blocks of a message, or one that is only a text.
func readContent(role string, raw json.RawMessage) ([]model.Message, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []model.Message{{Role: model.Role(role), Text: text}}, nil
	}
	var blocks []json.RawMessage
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, err
	}
	return readBlocks(role, blocks)
}

// readBlocks splits a message into ours: its results are messages of their own.
func readBlocks(role string, blocks []json.RawMessage) ([]model.Message, error) {
	var list []model.Message
	for _, raw := range blocks {
		var b struct {
			Type    string          `json:"type"`
			Text    string          `json:"text"`
			ID      string          `json:"id"`
			Name    string          `json:"name"`
			Input   json.RawMessage `json:"input"`
			Result  string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
			IsError bool            `json:"is_error"`
		}
		if err := json.Unmarshal(raw, &b); err != nil {
			return nil, err
		}
		switch b.Type {
		case "text":
			list = append(list, model.Message{Role: model.Role(role), Text: b.Text})
		case "tool_use":
			if len(list) == 0 {
				list = append(list, model.Message{Role: model.Assistant})
			}
			last := &list[len(list)-1]
			last.Calls = append(last.Calls, model.Call{ID: b.ID, Name: b.Name, Args: b.Input})
		case "tool_result":
			list = append(list, model.Message{Role: model.ToolResult, CallID: b.Result, Text: texts(b.Content), IsError: b.IsError})
		}
	}
	return list, nil
}

func (messages) stop(r Reply) string {
	switch {
	case r.Finish == TooLong:
		return "max_tokens"
	case r.Finish == Filtered:
		return "refusal"
	case len(r.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (messages) usage(u model.Usage) object {
	return object{"input_tokens": u.Input, "output_tokens": u.Output,
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite}
}

func (m messages) whole(r Reply) any {
	blocks := []any{}
	if r.Thought != "" {
		blocks = append(blocks, object{"type": "thinking", "thinking": r.Thought, "signature": "c2lnbmVk"})
	}
	if r.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Args)})
	}
	return object{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
		"stop_reason": m.stop(r), "usage": m.usage(r.Usage)}
}

func (m messages) events(r Reply) []string {
	var list []string
	add := func(kind string, o object) {
		o["type"] = kind
		list = append(list, "event: "+kind+"\ndata: "+encode(o)+"\n\n")
	}
	first := r.Usage
	first.Output = 0
	add("message_start", object{"message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
		"content": []any{}, "usage": m.usage(first)}})
	add("ping", object{})
	index := 0
	block := func(start object, deltas ...object) {
		add("content_block_start", object{"index": index, "content_block": start})
		for _, d := range deltas {
			add("content_block_delta", object{"index": index, "delta": d})
		}
		add("content_block_stop", object{"index": index})
		index++
	}
	if r.Thought != "" {
		block(object{"type": "thinking", "thinking": ""}, object{"type": "thinking_delta", "thinking": r.Thought},
			object{"type": "signature_delta", "signature": "c2lnbmVk"})
	}
	if r.Text != "" {
		block(object{"type": "text", "text": ""}, deltas("text_delta", "text", r.Text, r.Piece)...)
	}
	if r.Fault != "" {
		add("error", object{"error": object{"type": r.Fault, "message": r.Fault}})
		return list
	}
	for _, c := range r.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			deltas("input_json_delta", "partial_json", c.Args, r.Piece)...)
	}
	add("message_delta", object{"delta": object{"stop_reason": m.stop(r)}, "usage": object{"output_tokens": r.Usage.Output}})
	add("message_stop", object{})
	return list
}

func deltas(kind, field, text string, size int) []object {
	var list []object
	for _, piece := range pieces(text, size) {
		list = append(list, object{"type": kind, field: piece})
	}
	return list
}

func (messages) refusal(r Reply) any {
	kind := r.Kind
	if kind == "" {
		kind = map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
			404: "not_found_error", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}[r.Status]
	}
	return object{"type": "error", "error": object{"type": kind, "message": r.Message}}
}
