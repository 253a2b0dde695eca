package scripted

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// value is an argument of a tool call: finished JSON, or a text to fill in,
// or a list or an object with such a text somewhere inside.
type value struct {
	json   []byte
	text   *template
	list   []value
	object []field
}

type field struct {
	name  []byte // as a JSON string
	value value
}

// finished reports whether the value is the same in every scene.
func (v *value) finished() bool { return v.json != nil }

// value compiles a YAML node. What contains no template is turned into JSON
// once, here.
func (s source) value(n ast.Node, match *regexp.Regexp) (value, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return s.objectValue(n, match)
	case *ast.SequenceNode:
		return s.listValue(n, match)
	case *ast.StringNode, *ast.LiteralNode:
		return s.textValue(n, match)
	case *ast.IntegerNode:
		return s.scalarValue(n, n.Value)
	case *ast.FloatNode:
		return s.scalarValue(n, n.Value)
	case *ast.BoolNode:
		return s.scalarValue(n, n.Value)
	case *ast.NullNode:
		return s.scalarValue(n, nil)
	default:
		return value{}, s.unfit(n, "this cannot be an argument of a tool")
	}
}

func (s source) objectValue(n *ast.MappingNode, match *regexp.Regexp) (value, error) {
	entries, err := s.entries(n, "an object")
	if err != nil {
		return value{}, err
	}
	v, finished := value{object: make([]field, len(entries))}, true
	for i, e := range entries {
		name, err := s.text(e.Key, "a key")
		if err != nil {
			return value{}, err
		}
		inner, err := s.value(e.Value, match)
		if err != nil {
			return value{}, err
		}
		v.object[i] = field{name: quote(name), value: inner}
		finished = finished && inner.finished()
	}
	return v.finish(finished)
}

func (s source) listValue(n *ast.SequenceNode, match *regexp.Regexp) (value, error) {
	v, finished := value{list: make([]value, len(n.Values))}, true
	for i, item := range n.Values {
		inner, err := s.value(item, match)
		if err != nil {
			return value{}, err
		}
		v.list[i] = inner
		finished = finished && inner.finished()
	}
	return v.finish(finished)
}

func (s source) textValue(n ast.Node, match *regexp.Regexp) (value, error) {
	text, err := s.text(n, "an argument")
	if err != nil {
		return value{}, err
	}
	if !strings.Contains(text, opening) {
		return value{json: quote(text)}, nil
	}
	t, err := s.template(n, "an argument", match)
	return value{text: &t}, err
}

func (s source) scalarValue(n ast.Node, v any) (value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return value{}, s.errorf(n, "this cannot be written as JSON: %v", err)
	}
	return value{json: data}, nil
}

// finish turns a list or an object without templates into its JSON.
func (v value) finish(finished bool) (value, error) {
	if !finished {
		return v, nil
	}
	data, err := v.append(nil, nil)
	return value{json: data}, err
}

// render is the JSON of the value in a scene.
func (v *value) render(sc *scene) (json.RawMessage, error) {
	if v.finished() {
		return bytes.Clone(v.json), nil
	}
	return v.append(nil, sc)
}

func (v *value) append(b []byte, sc *scene) ([]byte, error) {
	switch {
	case v.finished():
		return append(b, v.json...), nil
	case v.text != nil:
		text, err := v.text.render(sc)
		return append(b, quote(text)...), err
	case v.object != nil:
		return v.appendObject(b, sc)
	default:
		return v.appendList(b, sc)
	}
}

func (v *value) appendObject(b []byte, sc *scene) (_ []byte, err error) {
	b = append(b, '{')
	for i := range v.object {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, v.object[i].name...), ':')
		if b, err = v.object[i].value.append(b, sc); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func (v *value) appendList(b []byte, sc *scene) (_ []byte, err error) {
	b = append(b, '[')
	for i := range v.list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = v.list[i].append(b, sc); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// quote is a JSON string that leaves < > & readable.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
