package provider

import (
	"slices"
	"strings"
)

// geminiSchema is as much of a JSON Schema as Gemini understands. It refuses a
// request with anything else in it.
type geminiSchema struct {
	Type        string                   `json:"type,omitempty"`
	Description string                   `json:"description,omitempty"`
	Nullable    bool                     `json:"nullable,omitempty"`
	Enum        []string                 `json:"enum,omitempty"`
	Items       *geminiSchema            `json:"items,omitempty"`
	Properties  map[string]*geminiSchema `json:"properties,omitempty"`
	Required    []string                 `json:"required,omitempty"`
	AnyOf       []*geminiSchema          `json:"anyOf,omitempty"`
}

// geminiParameters describes the arguments of a tool; nil if it takes none, since
// an object without properties is refused.
func geminiParameters(schema map[string]any) *geminiSchema {
	made := toGemini(schema, 0)
	if len(made.Properties) == 0 {
		return nil
	}
	return made
}

// deepest bounds how far a schema is followed.
const deepest = 32

func toGemini(schema map[string]any, depth int) *geminiSchema {
	if depth > deepest {
		return &geminiSchema{Type: "STRING"}
	}
	made := &geminiSchema{}
	made.Description, _ = schema["description"].(string)
	made.setType(schema)
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range properties {
		if made.Properties == nil {
			made.Properties = map[string]*geminiSchema{}
		}
		inner, _ := value.(map[string]any)
		made.Properties[name] = toGemini(inner, depth+1)
	}
	for _, name := range texts(schema["required"]) {
		if made.Properties[name] != nil {
			made.Required = append(made.Required, name)
		}
	}
	made.Enum = texts(schema["enum"])
	if items, ok := schema["items"].(map[string]any); ok {
		made.Items = toGemini(items, depth+1)
	}
	made.choose(schema, depth)
	made.complete()
	return made
}

// setType takes one type; JSON Schema writes what may be null as a list of two.
func (g *geminiSchema) setType(schema map[string]any) {
	named, _ := schema["type"].(string)
	for _, t := range texts(schema["type"]) {
		if t == "null" {
			g.Nullable = true
		} else if named == "" {
			named = t
		}
	}
	g.Type = strings.ToUpper(named)
}

// choose takes the alternatives, and one that says only that it may be null as
// that.
func (g *geminiSchema) choose(schema map[string]any, depth int) {
	for _, name := range []string{"anyOf", "oneOf"} {
		list, _ := schema[name].([]any)
		for _, value := range list {
			inner, _ := value.(map[string]any)
			if inner["type"] == "null" {
				g.Nullable = true
				continue
			}
			g.AnyOf = append(g.AnyOf, toGemini(inner, depth+1))
		}
	}
}

// complete adds what Gemini insists on.
func (g *geminiSchema) complete() {
	switch {
	case len(g.AnyOf) > 0 && g.Type == "":
		return
	case g.Type == "" && g.Properties != nil:
		g.Type = "OBJECT"
	case g.Type == "":
		g.Type = "STRING"
	}
	if g.Type == "ARRAY" && g.Items == nil {
		g.Items = &geminiSchema{Type: "STRING"}
	}
	if g.Type != "STRING" {
		g.Enum = nil // which is for texts only
	}
}

// texts are the texts in a list, without empty ones: Gemini refuses those.
func texts(list any) (found []string) {
	values, _ := list.([]any)
	for _, v := range values {
		if s, ok := v.(string); ok && s != "" && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found
}
