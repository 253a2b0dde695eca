package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"parley/internal/model"
)

// prompt is a request as all formats need it.
type prompt struct {
	model    string
	output   int // the longest reply, in tokens; 0 leaves it to the provider
	stream   bool
	system   []systemText
	messages []message
	tools    []tool
}

// systemText is a part of the system text. What a provider should keep for other
// requests ends with a part that is marked.
type systemText struct {
	text   string
	marked bool
}

// joined is the system text in one: some providers refuse several in a row.
func (p prompt) joined() string {
	var all strings.Builder
	for _, s := range p.system {
		all.WriteString(s.text)
	}
	return all.String()
}

// message is one entry of the conversation. The model's own has parts, a result
// the id and the name of its call.
type message struct {
	role   model.Role
	text   string
	parts  []*part
	id     string
	name   string
	failed bool
}

type tool struct {
	name, description string
	schema            map[string]any
}

// promptOf puts a request into the form that the formats have in common.
func (m *Model) promptOf(req model.Request) prompt {
	p := prompt{model: m.name, output: m.longestReply(), stream: !m.provider.Whole}
	for i, text := range req.SystemParts() {
		p.system = append(p.system, systemText{text: text, marked: i < len(req.Marks)})
	}
	if len(req.Messages) > 0 && req.Messages[0].Role == model.Assistant {
		p.messages = append(p.messages, message{role: model.User, text: "(The conversation began earlier.)"}) // the first word is never the model's
	}
	names := map[string]string{} // of the calls so far, by their ids
	for _, msg := range req.Messages {
		for _, c := range msg.Calls {
			names[c.ID] = c.Name
		}
		made := message{role: msg.Role, failed: msg.IsError}
		switch msg.Role {
		case model.Assistant:
			if made.parts = m.assistantParts(msg); len(made.parts) == 0 {
				continue
			}
		case model.ToolResult:
			made.text, made.id, made.name = orBlank(msg.Text), m.provider.Kind.callID(msg.CallID), names[msg.CallID]
		default:
			made.text = orBlank(msg.Text)
		}
		p.messages = append(p.messages, made)
	}
	for _, t := range req.Tools {
		p.tools = append(p.tools, tool{t.Name, t.Description, m.schemaOf(t.Schema)})
	}
	return p
}

// orBlank keeps a place in the conversation: some providers refuse a blank text
// and some refuse a result that is missing.
func orBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	return s
}

// assistantParts are those that the model itself made, if it wanted them back.
func (m *Model) assistantParts(msg model.Message) []*part {
	parts, ok := m.recall(msg)
	if !ok {
		var d draft
		if strings.TrimSpace(msg.Text) != "" {
			d.add(textPart, msg.Text)
		}
		for _, c := range msg.Calls {
			p := d.add(callPart, string(objectOf(c.Args)))
			p.id, p.name = c.ID, c.Name
		}
		parts = d.parts
	}
	for _, p := range parts {
		p.id = m.provider.Kind.callID(p.id)
	}
	return parts
}

// callID writes the id of a call in the letters that a provider takes. Anthropic
// and OpenAI refuse others and what is too long. The servers behind the other
// kinds made their ids themselves, and some read their own letters again; what
// turns add to an id that came twice is replaced there too, since such a server
// may speak to Anthropic. An id becomes the same one in every request.
func (k Kind) callID(id string) string {
	const longest = 40 // in chat completions; 64 elsewhere
	strange := strangeLetter
	switch {
	case k == Gemini || id == "":
		return id
	case k == OpenRouter || k == Compatible:
		if strange = addedLetter; !strange.MatchString(id) {
			return id
		}
	case len(id) <= longest && !strange.MatchString(id):
		return id
	}
	sum := sha256.Sum256([]byte(id))
	suffix := "-" + hex.EncodeToString(sum[:5])
	clean := strange.ReplaceAllString(id, "_")
	if k == Anthropic || k == OpenAI {
		clean = clean[:min(len(clean), longest-len(suffix))]
	}
	return clean + suffix
}

var (
	strangeLetter = regexp.MustCompile(`[^a-zA-Z0-9_-]`)
	addedLetter   = regexp.MustCompile(`~`)
)

// objectOf shows a model the arguments that it made up: every provider wants an
// object.
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

// schemaOf reads a schema once: the same ones come with every step, and the
// formats only read them.
func (m *Model) schemaOf(raw json.RawMessage) map[string]any {
	if known, ok := m.schemas.Load(string(raw)); ok {
		return known.(map[string]any)
	}
	schema := readSchema(raw)
	m.schemas.Store(string(raw), schema)
	return schema
}

// readSchema reads the schema of a tool's arguments. Providers want an object
// and refuse a choice between several.
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
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		delete(schema, choice)
	}
	return schema
}
