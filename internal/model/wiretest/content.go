package wiretest

import (
	"encoding/json"
	"strings"

	"parley/internal/model"
)

// content is Gemini's format.
type content struct{}

type contentMessage struct {
	Role  string        `json:"role"`
	Parts []contentPart `json:"parts"`
}

type contentPart struct {
	Text string `json:"text"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Result *struct {
		ID       string `json:"id"`
		Response struct {
			Result string `json:"result"`
		} `json:"response"`
	} `json:"functionResponse"`
}

func (content) read(body []byte, path string) (Request, error) {
	var in struct {
		System   contentMessage   `json:"systemInstruction"`
		Contents []contentMessage `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Schema      json.RawMessage `json:"parameters"`
				JSONSchema  json.RawMessage `json:"parametersJsonSchema"` // in its place
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	_, name, _ := strings.Cut(path, "/models/")
	name, verb, _ := strings.Cut(name, ":")
	req := Request{Model: name, Stream: verb == "streamGenerateContent"}
	for _, p := range in.System.Parts {
		req.System += p.Text
	}
	for _, m := range in.Contents {
		req.Messages = append(req.Messages, m.messages()...)
	}
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			if f.JSONSchema != nil {
				f.Schema = f.JSONSchema
			}
			req.Tools = append(req.Tools, model.Tool{Name: f.Name, Description: f.Description, Schema: f.Schema})
		}
	}
	return req, nil
}

// messages are the results in a message, each as one of its own, and the rest.
func (m contentMessage) messages() (list []model.Message) {
	msg := model.Message{Role: model.User}
	if m.Role == "model" {
		msg.Role = model.Assistant
	}
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			list = append(list, model.Message{Role: model.ToolResult, CallID: p.Result.ID, Text: p.Result.Response.Result})
		case p.Call != nil:
			msg.Calls = append(msg.Calls, model.Call{ID: p.Call.ID, Name: p.Call.Name, Args: p.Call.Args})
		default:
			msg.Text += p.Text
		}
	}
	if msg.Text != "" || msg.Calls != nil {
		list = append(list, msg)
	}
	return list
}

func (content) finish(r Reply) string {
	switch r.Finish {
	case TooLong:
		return "MAX_TOKENS"
	case Filtered:
		return "SAFETY"
	}
	return "STOP"
}

// usage counts what has been sent so far, as Gemini does in every chunk.
func (content) usage(u model.Usage, share, of int) object {
	out := u.Output * int64(share) / int64(of)
	prompt := u.Input + u.CacheRead
	return object{"promptTokenCount": prompt, "candidatesTokenCount": out, "cachedContentTokenCount": u.CacheRead, "totalTokenCount": prompt + out}
}

// parts are what is sent one after the other. Arguments cannot be split.
func (content) parts(r Reply) []object {
	var list []object
	if r.Thought != "" {
		list = append(list, object{"text": r.Thought, "thought": true})
	}
	if r.Text != "" {
		for _, p := range pieces(r.Text, r.Piece) {
			list = append(list, object{"text": p})
		}
	}
	for i, c := range r.Calls {
		args := json.RawMessage(c.Args)
		if !json.Valid(args) {
			args = json.RawMessage("{}")
		}
		part := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": args}}
		if r.Thought != "" && i == 0 {
			part["thoughtSignature"] = "/v8A" // not text, once it is decoded
		}
		list = append(list, part)
	}
	return list
}

func (c content) whole(r Reply) any {
	return object{"candidates": []any{object{"index": 0, "finishReason": c.finish(r),
		"content": object{"role": "model", "parts": c.parts(r)}}}, "usageMetadata": c.usage(r.Usage, 1, 1)}
}

func (c content) events(r Reply) []string {
	var list []string
	parts := c.parts(r)
	for i, p := range parts {
		list = append(list, data(object{"candidates": []any{object{"index": 0, "content": object{"role": "model", "parts": []any{p}}}},
			"usageMetadata": c.usage(r.Usage, i+1, len(parts)+1)}))
	}
	if r.Fault != "" {
		return append(list, data(object{"error": object{"code": 503, "status": "UNAVAILABLE", "message": r.Fault}}))
	}
	if r.Finish == Filtered && len(parts) == 0 {
		return append(list, data(object{"promptFeedback": object{"blockReason": "SAFETY"}, "usageMetadata": c.usage(r.Usage, 1, 1)}))
	}
	return append(list, data(object{"candidates": []any{object{"index": 0, "finishReason": c.finish(r),
		"content": object{"role": "model", "parts": []any{object{"text": ""}}}}}, "usageMetadata": c.usage(r.Usage, 1, 1)}))
}

func (content) refusal(r Reply) any {
	status := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}[r.Status]
	refused := object{"code": r.Status, "message": r.Message, "status": status}
	if r.Details != nil {
		refused["details"] = r.Details
	}
	return object{"error": refused}
}
