package mcpserver

import (
	"encoding/json"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tool"
)

// ownTask is the argument with which a client says on which of its tasks it works. Tools
// that have an argument of this name for something else keep theirs.
const ownTask = "task_id"

// repeatMeta says of a tool that a call with the same key finds what was done before.
const repeatMeta = "parley/repeatable"

// offer describes a tool to clients. Each tool is described once.
func (d *Door) offer(t tool.Tool) *mcp.Tool {
	key := t.Name + "\x00" + t.Description + "\x00" + string(t.Schema)
	if known, ok := d.offers.Load(key); ok {
		return known.(*mcp.Tool)
	}
	no := false
	hints := &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: t.Hints.ReadOnly}
	if !t.Hints.Destructive {
		hints.DestructiveHint = &no
	}
	if !t.Hints.OpenWorld {
		hints.OpenWorldHint = &no
	}
	// Otherwise some clients hide a tool until their model looks for it.
	meta := mcp.Meta{"anthropic/alwaysLoad": true}
	if t.Replays {
		meta[repeatMeta] = true
	}
	made := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, Annotations: hints,
		Meta:        meta,
		InputSchema: inputSchema(t), OutputSchema: outputSchema(t),
	}
	d.offers.Store(key, made)
	return made
}

// inputSchema is the tool's own, with the task that a contact is for.
func inputSchema(t tool.Tool) json.RawMessage {
	if !takesTask(t) {
		return t.Schema
	}
	var s schema
	if json.Unmarshal(t.Schema, &s) != nil {
		return t.Schema
	}
	described := describedTask
	if len(s.Properties) > len("{}") {
		described = append(json.RawMessage(","), described...)
	}
	s.Properties = append(append(s.Properties[:len(s.Properties)-1:len(s.Properties)-1], described...), '}')
	raw, err := json.Marshal(s)
	if err != nil {
		return t.Schema
	}
	return raw
}

var describedTask = json.RawMessage(`"` + ownTask + `":{"type":"string","description":"Which of your own tasks this is for, for example task-101, if you hold several; 'none' if it is for none of them."}`)

// schema is one of an object. Its properties keep their order.
type schema struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
	Required   []string        `json:"required,omitempty"`
}

// takesTask reports whether a call may say for which task of the caller it is.
func takesTask(t tool.Tool) bool { return t.Contacts && !hasArgument(t, ownTask) }

func hasArgument(t tool.Tool, name string) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.Schema, &s) // what has no arguments does not have this one
	_, has := s.Properties[name]
	return has
}

// outputSchema is what every result has, and what this tool's has besides.
func outputSchema(t tool.Tool) map[string]any {
	properties := map[string]any{
		"text":   map[string]any{"type": "string", "description": "The result in words."},
		"unread": map[string]any{"type": "integer", "description": "How many messages wait for you, counted up to 200; wait_for_messages shows them."},
	}
	var own struct {
		Properties map[string]any `json:"properties"`
	}
	if t.Output != nil && json.Unmarshal(t.Output, &own) == nil {
		maps.Copy(properties, own.Properties)
	}
	return map[string]any{"type": "object", "properties": properties, "required": []string{"text", "unread"}}
}
