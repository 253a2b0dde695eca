package provider

import (
	"encoding/json"

	"parley/internal/model"
)

// responsesFormat is OpenAI's Responses. Nothing is stored there: what the model
// thought comes encrypted and goes back with the next request.
type responsesFormat struct{}

type responsesRequest struct {
	Model     string          `json:"model"`
	Input     []responsesItem `json:"input"`
	Tools     []responsesTool `json:"tools,omitempty"`
	MaxTokens int             `json:"max_output_tokens,omitempty"`
	Include   []string        `json:"include,omitempty"`
	Store     bool            `json:"store"`
	Stream    bool            `json:"stream,omitempty"`
}

// responsesItem is a message, a call, its result or a thought.
type responsesItem struct {
	Type    string `json:"type,omitempty"`
	Role    string `json:"role,omitempty"`
	Content any    `json:"content,omitempty"` // a text, or a list of texts
	// A call and its result.
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
	// A thought.
	ID        string          `json:"id,omitempty"`
	Summary   json.RawMessage `json:"summary,omitempty"`
	Encrypted string          `json:"encrypted_content,omitempty"`
}

type responsesText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type responsesTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
	Strict      bool           `json:"strict"` // which would refuse most schemas, and is the default
}

func (responsesFormat) request(p prompt) (path string, body any) {
	r := responsesRequest{Model: p.model, MaxTokens: p.output, Stream: p.stream}
	role := "system"
	if thinks(p.model) {
		role = "developer"
		r.Include = []string{"reasoning.encrypted_content"} // others refuse it
	}
	if system := p.joined(); system != "" {
		r.Input = append(r.Input, responsesItem{Role: role, Content: system})
	}
	for _, msg := range p.messages {
		r.Input = append(r.Input, responsesItems(msg)...)
	}
	for _, t := range p.tools {
		r.Tools = append(r.Tools, responsesTool{Type: "function", Name: t.name, Description: t.description, Parameters: t.schema})
	}
	return "/responses", r
}

func responsesItems(msg message) (list []responsesItem) {
	switch msg.role {
	case model.Assistant:
		for _, p := range msg.parts {
			if item, ok := responsesPart(p); ok {
				list = append(list, item)
			}
		}
		return list
	case model.ToolResult:
		return []responsesItem{{Type: "function_call_output", CallID: msg.id, Output: &msg.text}}
	}
	return []responsesItem{{Role: "user", Content: []responsesText{{"input_text", msg.text}}}}
}

func responsesPart(p *part) (item responsesItem, ok bool) {
	text := p.body.String()
	switch {
	case p.raw != nil:
		ok = json.Unmarshal(p.raw, &item) == nil
		if len(item.Summary) == 0 || string(item.Summary) == "null" {
			item.Summary = json.RawMessage("[]") // it insists on one
		}
		return item, ok
	case p.kind == callPart:
		return responsesItem{Type: "function_call", CallID: p.id, Name: p.name, Arguments: &text}, true
	case p.kind == textPart:
		return responsesItem{Role: "assistant", Content: text}, text != ""
	}
	return item, false
}

// responsesReader reads a reply. Of a stream's pieces it only shows the text:
// the last event has everything.
type responsesReader struct {
	*draft
	items []responsesOutput // in case that the last event leaves them out
}

func (responsesFormat) reader(d *draft) reader { return &responsesReader{draft: d} }

type response struct {
	Status     string            `json:"status"`
	Output     []responsesOutput `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type responsesOutput struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Content []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

func (r *responsesReader) whole(data []byte) error {
	var got response
	if err := unmarshal(data, &got, &got.Error); err != nil {
		return err
	}
	r.take(got)
	return nil
}

func (r *responsesReader) event(data []byte) error {
	var e struct {
		Type     string          `json:"type"`
		Delta    string          `json:"delta"`
		Item     responsesOutput `json:"item"`
		Response json.RawMessage `json:"response"`
		Error    json.RawMessage `json:"error"`
	}
	if err := unmarshal(data, &e, &e.Error); err != nil {
		return err
	}
	switch e.Type {
	case "response.output_text.delta":
		r.show(e.Delta)
	case "response.output_item.done":
		r.items = append(r.items, e.Item)
	case "response.completed", "response.incomplete", "response.failed":
		r.show = func(string) {} // all of it was
		if err := r.whole(e.Response); err != nil {
			return err
		}
		return errDone
	case "error": // its code and message are beside its type
		return &fault{data}
	}
	return nil
}

func (r *responsesReader) take(got response) {
	if len(got.Output) == 0 {
		got.Output = r.items
	}
	for _, item := range got.Output {
		switch item.Type {
		case "message":
			for _, c := range item.Content {
				r.write(textPart, c.Text)
				r.refusal += c.Refusal
			}
		case "function_call":
			r.call(item.CallID, item.Name, item.Arguments)
		case "reasoning":
			if item.Encrypted == "" {
				continue // it is not there to be found again
			}
			raw, err := json.Marshal(responsesItem{Type: item.Type, ID: item.ID, Summary: item.Summary, Encrypted: item.Encrypted})
			if err == nil {
				r.add(thoughtPart, "").raw = raw
			}
		}
	}
	u := got.Usage
	r.usage = model.Usage{Input: max(u.Input-u.Details.Cached, 0), Output: u.Output, CacheRead: u.Details.Cached}
	r.end = responsesEnding(got)
}

func responsesEnding(got response) ending {
	switch {
	case got.Status == "failed" || got.Status == "cancelled":
		return failed
	case got.Incomplete.Reason == "content_filter":
		return filtered
	case got.Status == "incomplete":
		return cut
	}
	return done
}
