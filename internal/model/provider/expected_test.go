package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/model"
)

// expected is what a recorded reply says, read from its JSON by a rule for each
// format and without the types of the program.
type expected struct {
	text  string
	calls []model.Call
	end   ending
	usage model.Usage
	// kept are the signatures and the encrypted thoughts, which must go back.
	kept []string
}

// chunks are the JSON values of a reply: one if it is whole.
func (r recording) chunks(t *testing.T) (list []any) {
	t.Helper()
	texts := []string{r.body}
	if r.stream {
		texts = nil
		for line := range strings.Lines(r.body) {
			if data, ok := strings.CutPrefix(line, "data:"); ok && strings.TrimSpace(data) != "[DONE]" {
				texts = append(texts, data)
			}
		}
	}
	for _, text := range texts {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%s: %v: %s", r.label(), err, text)
		}
		list = append(list, v)
	}
	return list
}

// at follows keys, and indices, into a JSON value; nil if there is nothing.
func at(v any, path ...any) any {
	for _, key := range path {
		switch key := key.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				return nil
			}
			v = list[key]
		}
	}
	return v
}

func str(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func num(v any, path ...any) int64 {
	n, _ := at(v, path...).(float64)
	return int64(n)
}

func items(v any, path ...any) []any {
	list, _ := at(v, path...).([]any)
	return list
}

// ends maps the reasons that providers give to ours. Another one fails the test.
var ends = map[string]ending{
	"end_turn": done, "tool_use": done, "max_tokens": cut,
	"stop": done, "tool_calls": done, "length": cut,
	"completed": done, "incomplete": cut,
	"STOP": done, "MAX_TOKENS": cut,
}

func (r recording) expected(t *testing.T) (e expected) {
	t.Helper()
	chunks := r.chunks(t)
	reason := ""
	switch r.format {
	case "anthropic":
		reason = e.anthropic(chunks)
	case "chat":
		reason = e.chat(chunks)
	case "responses":
		reason = e.responses(chunks)
	case "gemini":
		reason = e.gemini(chunks)
	}
	end, known := ends[reason]
	if !known {
		t.Fatalf("%s ends because of %q", r.label(), reason)
	}
	e.end = end
	for i := range e.calls {
		if len(e.calls[i].Args) == 0 {
			e.calls[i].Args = json.RawMessage("{}")
		}
	}
	return e
}

func (e *expected) keep(texts ...string) {
	for _, text := range texts {
		if text != "" {
			e.kept = append(e.kept, text)
		}
	}
}

func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (e *expected) anthropic(chunks []any) (reason string) {
	index := map[int64]int{} // of the calls, by their blocks
	counted := map[string]any{}
	for _, c := range chunks {
		for _, usage := range []any{at(c, "message", "usage"), at(c, "usage")} {
			object, _ := usage.(map[string]any)
			for name, value := range object {
				counted[name] = value
			}
		}
		blocks := items(c, "content")
		if str(c, "type") == "content_block_start" {
			blocks = []any{at(c, "content_block")}
		}
		for _, b := range blocks {
			e.text += str(b, "text")
			e.keep(str(b, "signature"), str(b, "data"))
			if str(b, "type") == "tool_use" {
				call := model.Call{ID: str(b, "id"), Name: str(b, "name")}
				if str(c, "type") == "message" {
					call.Args = raw(at(b, "input"))
				}
				index[num(c, "index")] = len(e.calls)
				e.calls = append(e.calls, call)
			}
		}
		e.text += str(c, "delta", "text")
		e.keep(str(c, "delta", "signature"))
		if piece := str(c, "delta", "partial_json"); piece != "" {
			call := &e.calls[index[num(c, "index")]]
			call.Args = append(call.Args, piece...)
		}
		reason += str(c, "stop_reason") + str(c, "delta", "stop_reason")
	}
	e.usage = model.Usage{Input: num(counted, "input_tokens"), Output: num(counted, "output_tokens"),
		CacheRead: num(counted, "cache_read_input_tokens"), CacheWrite: num(counted, "cache_creation_input_tokens")}
	return reason
}

func (e *expected) chat(chunks []any) (reason string) {
	byID := map[string]int{}
	last := ""
	for _, c := range chunks {
		for _, kind := range []string{"message", "delta"} {
			d := at(c, "choices", 0, kind)
			e.text += str(d, "content")
			for _, detail := range items(d, "reasoning_details") {
				e.keep(str(detail, "signature"), str(detail, "data"))
			}
			for _, call := range items(d, "tool_calls") {
				if id := str(call, "id"); id != "" && id != last {
					last = id
					byID[id] = len(e.calls)
					e.calls = append(e.calls, model.Call{ID: id, Name: str(call, "function", "name")})
				}
				to := &e.calls[byID[last]]
				to.Args = append(to.Args, str(call, "function", "arguments")...)
			}
		}
		if finish := str(c, "choices", 0, "finish_reason"); finish != "" {
			reason = finish
		}
		if u := at(c, "usage"); u != nil {
			read := num(u, "prompt_tokens_details", "cached_tokens")
			written := num(u, "prompt_tokens_details", "cache_write_tokens") + num(u, "cache_creation_input_tokens")
			e.usage = model.Usage{Input: num(u, "prompt_tokens") - read - written, CacheRead: read, CacheWrite: written,
				Output: num(u, "total_tokens") - num(u, "prompt_tokens")}
		}
	}
	return reason
}

func (e *expected) responses(chunks []any) (reason string) {
	for _, c := range chunks {
		output := items(c, "output")
		whole := c
		switch kind := str(c, "type"); kind {
		case "response.output_text.delta":
			e.text += str(c, "delta")
		case "response.output_item.done":
			output = []any{at(c, "item")}
		case "response.completed", "response.incomplete":
			whole = at(c, "response")
		}
		for _, item := range output {
			if str(c, "type") == "" {
				for _, text := range items(item, "content") {
					e.text += str(text, "text")
				}
			}
			if str(item, "type") == "function_call" {
				e.calls = append(e.calls, model.Call{ID: str(item, "call_id"), Name: str(item, "name"), Args: json.RawMessage(str(item, "arguments"))})
			}
		}
		if u := at(whole, "usage"); u != nil {
			read := num(u, "input_tokens_details", "cached_tokens")
			e.usage = model.Usage{Input: num(u, "input_tokens") - read, CacheRead: read, Output: num(u, "output_tokens")}
			reason = str(whole, "status")
			for _, item := range items(whole, "output") { // encrypted anew in each event
				e.keep(str(item, "encrypted_content"))
			}
		}
	}
	return reason
}

func (e *expected) gemini(chunks []any) (reason string) {
	for _, c := range chunks {
		for _, p := range items(c, "candidates", 0, "content", "parts") {
			if at(p, "thought") == true {
				continue
			}
			e.text += str(p, "text")
			e.keep(str(p, "thoughtSignature"))
			if call := at(p, "functionCall"); call != nil {
				e.calls = append(e.calls, model.Call{ID: str(call, "id"), Name: str(call, "name"), Args: raw(at(call, "args"))})
			}
		}
		reason += str(c, "candidates", 0, "finishReason")
		if u := at(c, "usageMetadata"); num(u, "promptTokenCount") > 0 {
			read := num(u, "cachedContentTokenCount")
			e.usage = model.Usage{Input: num(u, "promptTokenCount") - read, CacheRead: read,
				Output: num(u, "totalTokenCount") - num(u, "promptTokenCount")}
		}
	}
	return reason
}

// differs says in what a reply is not what the recording says; "" if it is. An id
// that the provider left out is made up.
func (e expected) differs(text string, calls []model.Call, usage model.Usage) string {
	usage.Cost = 0
	switch {
	case text != e.text:
		return fmt.Sprintf("text %q, want %q", text, e.text)
	case usage != e.usage:
		return fmt.Sprintf("usage %+v, want %+v", usage, e.usage)
	}
	return e.differsInCalls(calls)
}

func (e expected) differsInCalls(calls []model.Call) string {
	if len(calls) != len(e.calls) {
		return fmt.Sprintf("%d calls, want %d", len(calls), len(e.calls))
	}
	for i, want := range e.calls {
		got := calls[i]
		var wanted, given any
		if json.Unmarshal(want.Args, &wanted) != nil || json.Unmarshal(got.Args, &given) != nil || fmt.Sprint(wanted) != fmt.Sprint(given) {
			return fmt.Sprintf("arguments %s, want %s", got.Args, want.Args)
		}
		if got.Name != want.Name || got.ID == "" || want.ID != "" && got.ID != want.ID {
			return fmt.Sprintf("call %s %s, want %s %s", got.ID, got.Name, want.ID, want.Name)
		}
	}
	return ""
}
