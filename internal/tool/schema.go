package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// field is one argument of a tool. Its place in a list of fields is its place in the
// struct.
type field struct {
	name     string
	aliases  []string
	required bool
	property property
}

// property is an argument as a schema describes it, in the order in which models
// have always been shown it.
type property struct {
	Type        string    `json:"type"`
	Enum        []string  `json:"enum,omitempty"`
	Items       *property `json:"items,omitempty"`
	Description string    `json:"description,omitempty"`
}

// fieldsOf reads the tags of a struct of arguments. What it cannot describe is a
// mistake in this program: no test of the tool would begin.
func fieldsOf(args reflect.Type) []field {
	fields := make([]field, args.NumField())
	for i := range fields {
		f := args.Field(i)
		fields[i] = field{name: f.Tag.Get("json"), aliases: list(f.Tag.Get("alias")), required: f.Tag.Get("required") == "true",
			property: describe(f.Type, f.Tag.Get("type"))}
		p := &fields[i].property
		p.Description, p.Enum = f.Tag.Get("doc"), list(f.Tag.Get("enum"))
		if fields[i].name == "" || p.Description == "" || p.Type == "" {
			panic(fmt.Sprintf("tool: %s.%s has no name, doc or type", args, f.Name))
		}
	}
	return fields
}

// describe is the type that a schema has for one of Go. given is for what can be
// anything.
func describe(t reflect.Type, given string) property {
	switch t.Kind() {
	case reflect.String:
		return property{Type: "string"}
	case reflect.Bool:
		return property{Type: "boolean"}
	case reflect.Int:
		return property{Type: "integer"}
	case reflect.Float64:
		return property{Type: "number"}
	case reflect.Pointer: // tells an argument that was left out from a zero
		return describe(t.Elem(), given)
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return property{Type: given}
		}
		items := describe(t.Elem(), given)
		return property{Type: "array", Items: &items}
	}
	return property{}
}

func list(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// schemaOf describes the arguments to a model, in the order of the struct. A map
// would sort them, and what matters most comes first.
func schemaOf(fields []field) json.RawMessage {
	var b bytes.Buffer
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(marshal(f.name))
		b.WriteByte(':')
		b.Write(marshal(f.property))
		if f.required {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":`)
		b.Write(marshal(required))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// marshal writes names and texts of this program, which always succeeds.
func marshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
