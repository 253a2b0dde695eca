package wiretest

import (
	"encoding/json"

	"parley/internal/model"
)

// completions is OpenAI's older format, which everybody else speaks too.
type completions struct{}

func (completions) read(body []byte, _ string) (Request, error) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Result  string          `json:"tool_call_id"`
			Calls   []struct {
				ID       string `json:"id"`
				Function struct {
					Name string `json:"name"`
					Args string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Schema      json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	req := Request{Model: in.Model, Stream: in.Stream}
	for _, m := range in.Messages {
		text := texts(m.Content)
		if m.Role == "system" || m.Role == "developer" {
			req.System += text
			continue
		}
		msg := model.Message{Role: model.Role(m.Role), Text: text, CallID: m.Result}
		for _, c := range m.Calls {
			msg.Calls = append(msg.Calls, model.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Args)})
		}
		req.Messages = append(req.Messages, msg)
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Schema})
	}
	return req, nil
}

func (completions) finish(r Reply) string {
	switch {
	case r.Finish == TooLong:
		return "length"
	case r.Finish == Filtered:
		return "content_filter"
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (completions) usage(u model.Usage) object {
	prompt := u.Input + u.CacheRead
	return object{"prompt_tokens": prompt, "completion_tokens": u.Output, "total_tokens": prompt + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead}}
}

func (c completions) whole(r Reply) any {
	msg := object{"role": "assistant", "content": r.Text}
	if r.Thought != "" {
		msg["reasoning_content"] = r.Thought
	}
	var calls []any
	for _, call := range r.Calls {
		calls = append(calls, object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": call.Args}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	return object{"id": "c1", "object": "chat.completion", "model": "m", "usage": c.usage(r.Usage),
		"choices": []any{object{"index": 0, "message": msg, "finish_reason": c.finish(r)}}}
}

func (c completions) events(r Reply) []string {
	var list []string
	add := func(delta object, finish any) {
		list = append(list, data(object{"id": "c1", "object": "chat.completion.chunk", "model": "m",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}))
	}
	add(object{"role": "assistant", "content": ""}, nil)
	if r.Thought != "" {
		add(object{"reasoning_content": r.Thought}, nil)
	}
	if r.Text != "" {
		for _, p := range pieces(r.Text, r.Piece) {
			add(object{"content": p}, nil)
		}
	}
	if r.Fault != "" {
		return append(list, data(object{"error": object{"type": r.Fault, "message": r.Fault}}))
	}
	for i, call := range r.Calls {
		add(object{"tool_calls": []any{object{"index": i, "id": call.ID, "type": "function",
			"function": object{"name": call.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(call.Args, r.Piece) {
			add(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	add(object{}, c.finish(r))
	list = append(list, data(object{"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": []any{}, "usage": c.usage(r.Usage)}))
	return append(list, "data: [DONE]\n\n")
}

func data(o object) string { return "data: " + encode(o) + "\n\n" }

func (completions) refusal(r Reply) any {
	return object{"error": object{"message": r.Message, "type": "invalid_request_error", "code": r.Kind}}
}
