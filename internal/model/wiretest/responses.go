package wiretest

import (
	"encoding/json"

	"parley/internal/model"
)

// responses is OpenAI's newer format.
type responses struct{}

func (responses) read(body []byte, _ string) (Request, error) {
	var in struct {
		Model  string            `json:"model"`
		Stream bool              `json:"stream"`
		Input  []json.RawMessage `json:"input"`
		Tools  []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	req := Request{Model: in.Model, Stream: in.Stream}
	for _, raw := range in.Input {
		if err := readItem(&req, raw); err != nil {
			return req, err
		}
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return req, nil
}

func readItem(req *Request, raw json.RawMessage) error {
	var item struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"call_id"`
		Name    string          `json:"name"`
		Args    string          `json:"arguments"`
		Output  json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(raw, &item); err != nil {
		return err
	}
	switch {
	case item.Type == "function_call":
		call := model.Call{ID: item.CallID, Name: item.Name, Args: json.RawMessage(item.Args)}
		if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == model.Assistant {
			req.Messages[n-1].Calls = append(req.Messages[n-1].Calls, call)
		} else {
			req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Calls: []model.Call{call}})
		}
	case item.Type == "function_call_output":
		req.Messages = append(req.Messages, model.Message{Role: model.ToolResult, CallID: item.CallID, Text: texts(item.Output)})
	case item.Type == "reasoning": // only who made it can read it
	case item.Role == "system" || item.Role == "developer":
		req.System += texts(item.Content)
	default:
		req.Messages = append(req.Messages, model.Message{Role: model.Role(item.Role), Text: texts(item.Content)})
	}
	return nil
}

func (r responses) items(reply Reply) []object {
	var list []object
	if reply.Thought != "" {
		list = append(list, object{"type": "reasoning", "id": "rs_1", "summary": []any{}, "encrypted_content": "c2VhbGVk"})
	}
	if reply.Text != "" {
		list = append(list, object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": reply.Text, "annotations": []any{}}}})
	}
	for _, c := range reply.Calls {
		call := object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Args}
		if c.Space != "" {
			call["namespace"] = c.Space
		}
		list = append(list, call)
	}
	return list
}

func (r responses) whole(reply Reply) any {
	u := reply.Usage
	o := object{"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": r.items(reply),
		"usage": object{"input_tokens": u.Input + u.CacheRead, "output_tokens": u.Output, "total_tokens": u.Input + u.CacheRead + u.Output,
			"input_tokens_details": object{"cached_tokens": u.CacheRead}, "output_tokens_details": object{"reasoning_tokens": 0}}}
	switch reply.Finish {
	case TooLong:
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case Filtered:
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	return o
}

func (r responses) events(reply Reply) []string {
	var list []string
	add := func(kind string, o object) {
		o["type"], o["sequence_number"] = kind, len(list)
		list = append(list, "event: "+kind+"\n"+data(o))
	}
	add("response.created", object{"response": object{"id": "resp_1", "object": "response", "status": "in_progress", "output": []any{}}})
	for i, item := range r.items(reply) {
		if reply.Fault != "" && i > 0 {
			break
		}
		r.item(add, i, item, reply.Piece)
	}
	switch {
	case reply.Fault != "":
		add("response.failed", object{"response": object{"id": "resp_1", "status": "failed",
			"error": object{"code": reply.Fault, "message": reply.Fault}}})
	case reply.Finish != Done:
		add("response.incomplete", object{"response": r.whole(reply)})
	default:
		add("response.completed", object{"response": r.whole(reply)})
	}
	return list
}

// item sends one item of the output in pieces.
func (responses) item(add func(string, object), i int, item object, size int) {
	begun := object{}
	for name, value := range item {
		begun[name] = value
	}
	switch item["type"] {
	case "message":
		begun["content"] = []any{}
		add("response.output_item.added", object{"output_index": i, "item": begun})
		text, _ := item["content"].([]any)[0].(object)["text"].(string)
		for _, p := range pieces(text, size) {
			add("response.output_text.delta", object{"output_index": i, "content_index": 0, "item_id": item["id"], "delta": p})
		}
	case "function_call":
		begun["arguments"] = ""
		add("response.output_item.added", object{"output_index": i, "item": begun})
		args, _ := item["arguments"].(string)
		for _, p := range pieces(args, size) {
			add("response.function_call_arguments.delta", object{"output_index": i, "item_id": item["id"], "delta": p})
		}
	default:
		add("response.output_item.added", object{"output_index": i, "item": begun})
	}
	add("response.output_item.done", object{"output_index": i, "item": item})
}

func (responses) refusal(r Reply) any { return completions{}.refusal(r) }
