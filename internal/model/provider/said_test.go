package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/model"
)

// recorded is what a recorded reply says, read from its JSON by a rule for each
// format and without the types of the program.
type recorded struct {
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

func (r recording) said(t *testing.T) (s recorded) {
	t.Helper()
	chunks := r.chunks(t)
	reason := ""
	switch r.format {
	case "anthropic":
		reason = s.anthropic(chunks)
	case "chat":
		reason = s.chat(chunks)
	case "responses":
		reason = s.responses(chunks)
	case "gemini":
		reason = s.gemini(chunks)
	}
	end, known := ends[reason]
	if !known {
		t.Fatalf("%s ends because of %q", r.label(), reason)
	}
	s.end = end
	for i := range s.calls {
		if len(s.calls[i].Args) == 0 {
			s.calls[i].Args = json.RawMessage("{}")
		}
	}
	return s
}

func (s *recorded) keep(texts ...string) {
	for _, text := range texts {
		if text != "" {
			s.kept = append(s.kept, text)
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

func (s *recorded) anthropic(chunks []any) (reason string) {
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
			s.text += str(b, "text")
			s.keep(str(b, "signature"), str(b, "data"))
			if str(b, "type") == "tool_use" {
				call := model.Call{ID: str(b, "id"), Name: str(b, "name")}
				if str(c, "type") == "message" {
					call.Args = raw(at(b, "input"))
				}
				index[num(c, "index")] = len(s.calls)
				s.calls = append(s.calls, call)
			}
		}
		s.text += str(c, "delta", "text")
		s.keep(str(c, "delta", "signature"))
		if piece := str(c, "delta", "partial_json"); piece != "" {
			call := &s.calls[index[num(c, "index")]]
			call.Args = append(call.Args, piece...)
		}
		reason += str(c, "stop_reason") + str(c, "delta", "stop_reason")
	}
	s.usage = model.Usage{Input: num(counted, "input_tokens"), Output: num(counted, "output_tokens"),
		CacheRead: num(counted, "cache_read_input_tokens"), CacheWrite: num(counted, "cache_creation_input_tokens")}
	return reason
}

func (s *recorded) chat(chunks []any) (reason string) {
	byID := map[string]int{}
	last := ""
	for _, c := range chunks {
		for _, kind := range []string{"message", "delta"} {
			d := at(c, "choices", 0, kind)
			s.text += str(d, "content")
			for _, detail := range items(d, "reasoning_details") {
				s.keep(str(detail, "signature"), str(detail, "data"))
			}
			for _, call := range items(d, "tool_calls") {
				if id := str(call, "id"); id != "" && id != last {
					last = id
					byID[id] = len(s.calls)
					s.calls = append(s.calls, model.Call{ID: id, Name: str(call, "function", "name")})
				}
				to := &s.calls[byID[last]]
				to.Args = append(to.Args, str(call, "function", "arguments")...)
			}
		}
		if said := str(c, "choices", 0, "finish_reason"); said != "" {
			reason = said
		}
		if u := at(c, "usage"); u != nil {
			read := num(u, "prompt_tokens_details", "cached_tokens")
			written := num(u, "prompt_tokens_details", "cache_write_tokens") + num(u, "cache_creation_input_tokens")
			s.usage = model.Usage{Input: num(u, "prompt_tokens") - read - written, CacheRead: read, CacheWrite: written,
				Output: num(u, "total_tokens") - num(u, "prompt_tokens")}
		}
	}
	return reason
}

func (s *recorded) responses(chunks []any) (reason string) {
	for _, c := range chunks {
		output := items(c, "output")
		whole := c
		switch kind := str(c, "type"); kind {
		case "response.output_text.delta":
			s.text += str(c, "delta")
		case "response.output_item.done":
			output = []any{at(c, "item")}
		case "response.completed", "response.incomplete":
			whole = at(c, "response")
		}
		for _, item := range output {
			if str(c, "type") == "" {
				for _, text := range items(item, "content") {
					s.text += str(text, "text")
				}
			}
			if str(item, "type") == "function_call" {
				s.calls = append(s.calls, model.Call{ID: str(item, "call_id"), Name: str(item, "name"), Args: json.RawMessage(str(item, "arguments"))})
			}
		}
		if u := at(whole, "usage"); u != nil {
			read := num(u, "input_tokens_details", "cached_tokens")
			s.usage = model.Usage{Input: num(u, "input_tokens") - read, CacheRead: read, Output: num(u, "output_tokens")}
			reason = str(whole, "status")
			for _, item := range items(whole, "output") { // encrypted anew in each event
				s.keep(str(item, "encrypted_content"))
			}
		}
	}
	return reason
}

func (s *recorded) gemini(chunks []any) (reason string) {
	for _, c := range chunks {
		for _, p := range items(c, "candidates", 0, "content", "parts") {
			if at(p, "thought") == true {
				continue
			}
			s.text += str(p, "text")
			s.keep(str(p, "thoughtSignature"))
			if call := at(p, "functionCall"); call != nil {
				s.calls = append(s.calls, model.Call{ID: str(call, "id"), Name: str(call, "name"), Args: raw(at(call, "args"))})
			}
		}
		reason += str(c, "candidates", 0, "finishReason")
		if u := at(c, "usageMetadata"); num(u, "promptTokenCount") > 0 {
			read := num(u, "cachedContentTokenCount")
			s.usage = model.Usage{Input: num(u, "promptTokenCount") - read, CacheRead: read,
				Output: num(u, "totalTokenCount") - num(u, "promptTokenCount")}
		}
	}
	return reason
}

// differs says in what a reply is not what the recording says; "" if it is. An id
// that the provider left out is made up.
func (s recorded) differs(text string, calls []model.Call, usage model.Usage) string {
	usage.Cost = 0
	switch {
	case text != s.text:
		return fmt.Sprintf("text %q, want %q", text, s.text)
	case usage != s.usage:
		return fmt.Sprintf("usage %+v, want %+v", usage, s.usage)
	}
	return s.differsInCalls(calls)
}

func (s recorded) differsInCalls(calls []model.Call) string {
	if len(calls) != len(s.calls) {
		return fmt.Sprintf("%d calls, want %d", len(calls), len(s.calls))
	}
	for i, want := range s.calls {
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
