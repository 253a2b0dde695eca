package mcpbridge

import (
	"bytes"
	"encoding/json"
	"maps"
)

// Codes of JSON-RPC, and one of the hub's own.
const (
	codeParse   = -32700
	codeRefused = -32001
)

// message is one of JSON-RPC, with what the bridge looks at.
type message struct {
	raw    json.RawMessage
	id     json.RawMessage // nil for what is no request, and no response
	method string          // empty for a response
	params json.RawMessage
}

func trim(line []byte) []byte { return bytes.TrimSpace(line) }

func parse(line []byte) (message, bool) {
	var in struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if len(line) == 0 || json.Unmarshal(line, &in) != nil {
		return message{}, false
	}
	if string(in.ID) == "null" {
		in.ID = nil
	}
	return message{raw: line, id: in.ID, method: in.Method, params: in.Params}, true
}

func (m message) isRequest() bool { return m.method != "" && m.id != nil }

// cancels is the request that a notification cancels.
func (m message) cancels() json.RawMessage {
	var in struct {
		ID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.params, &in) // then it cancels nothing
	return in.ID
}

// tool is the tool that a request calls; empty for any other.
func (m message) tool() string {
	var in struct {
		Name string `json:"name"`
	}
	if m.method != "tools/call" || json.Unmarshal(m.params, &in) != nil {
		return ""
	}
	return in.Name
}

// subject is what a request is about: a tool, a prompt or a resource.
func (m message) subject() string {
	var in struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	_ = json.Unmarshal(m.params, &in) // then it has none
	switch m.method {
	case "tools/call", "prompts/get":
		return in.Name
	case "resources/read":
		return in.URI
	}
	return ""
}

// version is that of a request which stands alone; empty for any other.
func (m message) version() string {
	var in struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.params, &in) // then it has none
	return in.Meta.Version
}

// with is the message with other members, such as another id.
func (m message) with(members map[string]json.RawMessage) message {
	var all map[string]json.RawMessage
	if json.Unmarshal(m.raw, &all) != nil {
		return m
	}
	maps.Copy(all, members)
	raw, err := json.Marshal(all)
	if err != nil {
		return m
	}
	changed, _ := parse(raw)
	return changed
}

// keyed gives a call a key in its _meta, unless the client gave one.
func (m message) keyed(key string) message {
	var params, meta map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) != nil {
		return m
	}
	if json.Unmarshal(params["_meta"], &meta) != nil || meta == nil {
		meta = map[string]json.RawMessage{}
	}
	if meta[keyMeta] == nil {
		meta[keyMeta] = text(key)
	}
	params["_meta"] = raw(meta)
	return m.with(map[string]json.RawMessage{"params": raw(params)})
}

const (
	// keyMeta is where a call has its key.
	keyMeta = "parley/key"
	// repeatMeta is what the hub says of a tool whose calls can be repeated.
	repeatMeta = "parley/repeatable"
)

func text(s string) json.RawMessage { return raw(s) }

// raw encodes what is always valid.
func raw(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}

// failure is a response that says what went wrong.
func failure(id json.RawMessage, code int, why string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return raw(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
}

// repeatable reads from a list of tools which of them can be repeated.
func repeatable(line []byte) map[string]bool {
	var in struct {
		Result struct {
			Tools []struct {
				Name        string                     `json:"name"`
				Meta        map[string]json.RawMessage `json:"_meta"`
				Annotations struct {
					ReadOnly bool `json:"readOnlyHint"`
				} `json:"annotations"`
			} `json:"tools"`
		} `json:"result"`
	}
	_ = json.Unmarshal(line, &in) // then it has none
	found := map[string]bool{}
	for _, t := range in.Result.Tools {
		found[t.Name] = t.Annotations.ReadOnly || string(t.Meta[repeatMeta]) == "true"
	}
	return found
}
