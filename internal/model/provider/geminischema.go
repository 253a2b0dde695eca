package provider

import (
	"maps"
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
	AnyOf       []*geminiSchema          `json:"anyOf,omitempty"` // alone: beside it nothing is taken
	// Others is what properties without a name are. Only plain can say it.
	Others *geminiSchema `json:"-"`
}

// geminiFunctionOf describes a tool. Gemini takes its arguments in two forms. The
// usual one has no word for an object whose properties are not known, and refuses
// it. Such a tool is described in the other, as JSON Schema: a property that we
// made up would be filled in, and a text in its place is not what the tool takes.
// Both are made from the same translation, since Gemini does not know all of JSON
// Schema either.
func geminiFunctionOf(t tool) geminiFunction {
	f := geminiFunction{Name: t.name, Description: t.description}
	tr := geminiTranslation{root: t.schema, left: maxSchemas}
	made := tr.schema(t.schema, nil, 0)
	switch {
	case len(made.Properties) == 0 && made.Others == nil: // it takes no arguments
	case tr.beyond:
		f.JSONSchema = made.plain()
	default:
		f.Parameters = made
	}
	return f
}

const (
	// deepest bounds how far a schema is followed.
	deepest = 32
	// maxSchemas bounds how many a tool may have, since a few that refer to each
	// other can stand for very many.
	maxSchemas = 4000
)

// geminiTranslation is of the schema of one tool, which is only read.
type geminiTranslation struct {
	root   map[string]any
	left   int
	beyond bool // the usual form has no words for it
}

// schema translates. seen are the references that led here.
func (t *geminiTranslation) schema(given map[string]any, seen []string, depth int) *geminiSchema {
	if depth > deepest || t.left <= 0 {
		return &geminiSchema{Type: "STRING"}
	}
	schema, seen := t.flat(given, seen, depth)
	made := &geminiSchema{Enum: texts(schema["enum"])}
	made.Description, _ = schema["description"].(string)
	made.Nullable, _ = schema["nullable"].(bool)
	made.setType(schema)
	properties, _ := schema["properties"].(map[string]any)
	if union := objects(schema["anyOf"]); len(union) > 0 && made.Type == "" && len(properties) == 0 {
		return t.union(made, union, seen, depth)
	}
	for name, value := range properties {
		if made.Properties == nil {
			made.Properties = map[string]*geminiSchema{}
		}
		inner, _ := value.(map[string]any)
		made.Properties[name] = t.schema(inner, seen, depth+1)
	}
	for _, name := range texts(schema["required"]) {
		if made.Properties[name] != nil {
			made.Required = append(made.Required, name)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		made.Items = t.schema(items, seen, depth+1)
	}
	if others, ok := schema["additionalProperties"].(map[string]any); ok && len(others) > 0 {
		made.Others = t.schema(others, seen, depth+1)
	}
	made.complete()
	if made.Type == "OBJECT" && (made.Others != nil || len(made.Properties) == 0 && depth > 0) {
		t.beyond = true
	}
	return made
}

// union is a choice. What is said of all alternatives is said of each.
func (t *geminiTranslation) union(of *geminiSchema, list []map[string]any, seen []string, depth int) *geminiSchema {
	made := &geminiSchema{}
	for _, value := range list {
		inner := t.schema(value, seen, depth+1)
		of.say(inner)
		made.AnyOf = append(made.AnyOf, inner)
	}
	return made
}

// say adds a description and that something may be null to an alternative, or to
// the alternatives in it.
func (g *geminiSchema) say(to *geminiSchema) {
	for _, inner := range to.AnyOf {
		g.say(inner)
	}
	if len(to.AnyOf) == 0 {
		to.Description = strings.TrimSpace(g.Description + " " + to.Description)
		to.Nullable = to.Nullable || g.Nullable
	}
}

// flat is a schema without references, allOf and const, and without a choice
// that leaves one. It returns also the references that were followed.
func (t *geminiTranslation) flat(given map[string]any, seen []string, depth int) (map[string]any, []string) {
	t.left--
	made := map[string]any{}
	maps.Copy(made, given)
	var parts []map[string]any
	if ref, ok := given["$ref"].(string); ok {
		target := t.find(ref)
		if slices.Contains(seen, ref) {
			target = outline(target)
		}
		seen = append(slices.Clip(seen), ref)
		parts = append(parts, target)
	}
	parts = append(parts, objects(given["allOf"])...)
	choice := append(objects(given["anyOf"]), objects(given["oneOf"])...)
	rest := slices.DeleteFunc(slices.Clone(choice), isNull)
	if len(rest) < len(choice) {
		made["nullable"] = true
	}
	for _, name := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
		delete(made, name)
	}
	if len(rest) == 1 {
		parts = append(parts, rest[0])
	} else if len(rest) > 1 {
		made["anyOf"] = rest
	}
	for _, part := range parts {
		if depth > deepest || t.left <= 0 {
			break
		}
		part, seen = t.flat(part, seen, depth+1)
		merge(made, part)
	}
	if value, ok := made["const"]; ok {
		made["enum"] = []any{value}
		delete(made, "const")
	}
	if list, _ := made["enum"].([]any); len(list) > 0 && made["type"] == nil {
		made["type"] = typeOf(list[0])
	}
	return made, seen
}

// find follows a reference within the schema, such as #/$defs/name.
func (t *geminiTranslation) find(ref string) map[string]any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	found := t.root
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name != "" {
			found, _ = found[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
		}
	}
	return found
}

// outline is what is said of a schema that contains itself, where it does.
func outline(schema map[string]any) map[string]any {
	made := map[string]any{}
	for _, name := range []string{"type", "description"} {
		if value, ok := schema[name]; ok {
			made[name] = value
		}
	}
	if made["type"] == nil && schema["properties"] != nil {
		made["type"] = "object"
	}
	return made
}

// merge adds to a schema what another says that holds too. What both say, the
// first says better.
func merge(to, from map[string]any) {
	for name, value := range from {
		mine, both := to[name]
		switch {
		case !both:
			to[name] = value
		case name == "properties":
			all := map[string]any{}
			for _, of := range []any{value, mine} {
				properties, _ := of.(map[string]any)
				maps.Copy(all, properties)
			}
			to[name] = all
		case name == "required":
			first, _ := mine.([]any)
			second, _ := value.([]any)
			to[name] = slices.Concat(first, second)
		}
	}
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

// complete adds what Gemini insists on, and takes away what it takes for one type
// only.
func (g *geminiSchema) complete() {
	switch {
	case g.Type == "" && g.Properties != nil:
		g.Type = "OBJECT"
	case g.Type == "" && g.Items != nil:
		g.Type = "ARRAY"
	case g.Type == "":
		g.Type = "STRING"
	}
	if g.Type != "OBJECT" {
		g.Properties, g.Required, g.Others = nil, nil, nil
	}
	if g.Type != "ARRAY" {
		g.Items = nil
	} else if g.Items == nil {
		g.Items = &geminiSchema{Type: "STRING"}
	}
	if g.Type != "STRING" {
		g.Enum = nil
	}
}

// plain is the same in the words of JSON Schema.
func (g *geminiSchema) plain() map[string]any {
	made := map[string]any{}
	if g.Type != "" {
		made["type"] = strings.ToLower(g.Type)
	}
	if g.Nullable {
		made["type"] = []any{made["type"], "null"}
	}
	if g.Description != "" {
		made["description"] = g.Description
	}
	if g.Enum != nil {
		made["enum"] = g.Enum
	}
	if g.Items != nil {
		made["items"] = g.Items.plain()
	}
	if g.Properties != nil {
		properties := map[string]any{}
		for name, value := range g.Properties {
			properties[name] = value.plain()
		}
		made["properties"] = properties
	}
	if g.Required != nil {
		made["required"] = g.Required
	}
	if g.Others != nil {
		made["additionalProperties"] = g.Others.plain()
	}
	for _, inner := range g.AnyOf {
		list, _ := made["anyOf"].([]any)
		made["anyOf"] = append(list, inner.plain())
	}
	return made
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

// objects are the objects in a list.
func objects(list any) (found []map[string]any) {
	if found, ok := list.([]map[string]any); ok {
		return found
	}
	values, _ := list.([]any)
	for _, v := range values {
		if object, ok := v.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}

// isNull reports whether a schema allows nothing but null.
func isNull(schema map[string]any) bool {
	value, fixed := schema["const"]
	return schema["type"] == "null" || fixed && value == nil
}

// typeOf names the type of a JSON value.
func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}
