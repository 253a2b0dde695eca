package provider

import (
	"encoding/json"
	"errors"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"

	"parley/internal/model"
)

// call puts a request into the library's words.
func (m *Model) call(req model.Request) fantasy.Call {
	c := fantasy.Call{Prompt: m.promptOf(req), Tools: m.toolsOf(req.Tools)}
	if m.output > 0 {
		n := int64(m.output)
		c.MaxOutputTokens = &n
	}
	return c
}

func (m *Model) promptOf(req model.Request) fantasy.Prompt {
	p := make(fantasy.Prompt, 0, len(req.Messages)+1)
	if req.System != "" {
		p = append(p, fantasy.NewSystemMessage(req.System))
	}
	if len(req.Messages) > 0 && req.Messages[0].Role == model.Assistant {
		p = append(p, fantasy.NewUserMessage("(The conversation began earlier.)")) // the first word is never the model's
	}
	for _, msg := range req.Messages {
		if parts := m.partsOf(msg); len(parts) > 0 {
			p = append(p, fantasy.Message{Role: roleOf(msg.Role), Content: parts})
		}
	}
	if m.provider.Kind == Anthropic {
		markCached(p)
	}
	return p
}

func roleOf(r model.Role) fantasy.MessageRole {
	switch r {
	case model.Assistant:
		return fantasy.MessageRoleAssistant
	case model.ToolResult:
		return fantasy.MessageRoleTool
	default:
		return fantasy.MessageRoleUser
	}
}

func (m *Model) partsOf(msg model.Message) []fantasy.MessagePart {
	switch msg.Role {
	case model.Assistant:
		return m.assistantParts(msg)
	case model.ToolResult:
		return []fantasy.MessagePart{fantasy.ToolResultPart{ToolCallID: msg.CallID, Output: output(msg)}}
	default:
		return []fantasy.MessagePart{fantasy.TextPart{Text: orBlank(msg.Text)}}
	}
}

func output(msg model.Message) fantasy.ToolResultOutputContent {
	if msg.IsError {
		return fantasy.ToolResultOutputContentError{Error: errors.New(orBlank(msg.Text))}
	}
	return fantasy.ToolResultOutputContentText{Text: orBlank(msg.Text)}
}

// orBlank keeps a place in the conversation: some providers refuse an empty text
// and some refuse a result that is missing.
func orBlank(s string) string {
	if s == "" {
		return "(empty)"
	}
	return s
}

// assistantParts are those that the model itself made, if it wanted them back.
func (m *Model) assistantParts(msg model.Message) []fantasy.MessagePart {
	if parts, ok := m.recall(msg); ok {
		return parts
	}
	var parts []fantasy.MessagePart
	if msg.Text != "" {
		parts = append(parts, fantasy.TextPart{Text: msg.Text})
	}
	for _, c := range msg.Calls {
		parts = append(parts, callPart(c))
	}
	return parts
}

func callPart(c model.Call) fantasy.ToolCallPart {
	return fantasy.ToolCallPart{ToolCallID: c.ID, ToolName: c.Name, Input: string(objectOf(c.Args))}
}

// objectOf shows a model the arguments that it made up: every provider wants an
// object, and one drops a call without it but not the call's result.
func objectOf(args json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) == nil && object != nil {
		return args
	}
	if !json.Valid(args) {
		return json.RawMessage("{}")
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"invalid_arguments": args})
	if err != nil {
		return json.RawMessage("{}")
	}
	return wrapped
}

// markCached asks Anthropic to keep what will be sent again with the next step:
// the system text with the tools before it, and the conversation so far.
func markCached(p fantasy.Prompt) {
	mark := anthropic.NewProviderCacheControlOptions(&anthropic.ProviderCacheControlOptions{CacheControl: anthropic.CacheControl{Type: "ephemeral"}})
	for i := range p {
		if p[i].Role == fantasy.MessageRoleSystem || i == len(p)-1 {
			p[i].ProviderOptions = mark
		}
	}
}

func (m *Model) toolsOf(tools []model.Tool) []fantasy.Tool {
	list := make([]fantasy.Tool, len(tools))
	for i, t := range tools {
		list[i] = fantasy.FunctionTool{Name: t.Name, Description: t.Description, InputSchema: m.schemaOf(t.Schema)}
	}
	return list
}

// schemaOf reads a schema once: the same ones come with every step, and the
// library only reads them.
func (m *Model) schemaOf(raw json.RawMessage) map[string]any {
	if known, ok := m.schemas.Load(string(raw)); ok {
		return known.(map[string]any)
	}
	schema := readSchema(raw)
	m.schemas.Store(string(raw), schema)
	return schema
}

// readSchema reads a schema. The library looks for the names of what is required
// in a list of texts and drops them from any other.
func readSchema(raw json.RawMessage) map[string]any {
	var schema map[string]any
	if json.Unmarshal(raw, &schema) != nil || schema == nil {
		schema = map[string]any{}
	}
	if schema["type"] == nil {
		schema["type"] = "object"
	}
	if schema["properties"] == nil {
		schema["properties"] = map[string]any{}
	}
	if list, ok := schema["required"].([]any); ok {
		names := make([]string, 0, len(list))
		for _, item := range list {
			if name, ok := item.(string); ok {
				names = append(names, name)
			}
		}
		schema["required"] = names
	}
	return schema
}
