package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"parley"
)

// maxYAML bounds what the YAML parser is given: its time grows with the
// square of the nesting.
const maxYAML = 64 << 10

// key is one key that a mapping may have, and what to do with its value.
type key struct {
	name string
	read func(value) []mistake
	// explicit keys must have a value; the others count as absent without one.
	explicit bool
	// hidden keys are not offered when another one is misspelt.
	hidden bool
}

// value is one YAML value with the line and the key to blame for it; the root
// has no key. Decoding walks the
// syntax tree instead of filling structs because every complaint, also one
// about a range or a name, needs its line, and all of them are wanted at once.
type value struct {
	node ast.Node
	line int
	key  string
}

// decode reads a whole YAML text that is a mapping with the given keys. It
// returns the line of each key that was present.
func decode(text string, keys []key) (map[string]int, []mistake) {
	v, found := parse(text)
	if found != nil || v.absent() {
		return map[string]int{}, found
	}
	return v.fields(keys)
}

// parse returns the value of a text with at most one YAML document.
func parse(text string) (value, []mistake) {
	if len(text) > maxYAML {
		return value{}, wrong(1, "The YAML is longer than %s.", formatSize(maxYAML))
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return value{}, syntaxMistake(err)
	}
	docs := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch len(docs) {
	case 0:
		return value{}, nil
	case 1:
		return at(docs[0].Body), nil
	default:
		return value{}, wrong(at(docs[1].Body).line, "A second YAML document begins here; there may be only one.")
	}
}

// syntaxMistake takes the bare message of a parser error. Its full text quotes
// the lines around the error, and a password may stand in one of them.
func syntaxMistake(err error) []mistake {
	var e yaml.Error
	if !errors.As(err, &e) {
		return wrong(1, "This is not valid YAML.")
	}
	hint := ""
	switch {
	case strings.Contains(e.GetMessage(), "mapping value is not allowed"):
		hint = " Put a text that contains a colon in quotes."
	case strings.Contains(e.GetMessage(), "undefined alias name"):
		hint = ` Put a star in quotes: "*".`
	}
	line := 1
	if t := e.GetToken(); t != nil && t.Position != nil {
		line = t.Position.Line
	}
	return wrong(line, "This is not valid YAML: %s.%s", e.GetMessage(), hint)
}

func at(n ast.Node) value {
	v := value{node: n, line: 1}
	if n == nil {
		return v
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		v.line = t.Position.Line
	}
	return v
}

// wrong makes a mistake at the value's line. It names the key, since a line may
// have several.
func (v value) wrong(format string, args ...any) []mistake {
	text := fmt.Sprintf(format, args...)
	if v.key != "" {
		text = v.key + ": " + text
	}
	return wrong(v.line, "%s", text)
}

func (v value) absent() bool {
	return v.node == nil || v.node.Type() == ast.NullType
}

// fields reads a mapping by the table of its keys.
func (v value) fields(keys []key) (map[string]int, []mistake) {
	lines := map[string]int{}
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		return lines, v.wrong("Expected keys and values, like name: text.")
	}
	var found []mistake
	for _, pair := range m.Values {
		name, val := entry(pair)
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		switch {
		case i < 0:
			found = append(found, unknownKey(val.line, name, keys)...)
		case !val.absent() || keys[i].explicit:
			lines[name], val.key = val.line, name
			found = append(found, keys[i].read(val)...)
		}
	}
	return lines, found
}

// entry returns a pair's key and value; the value is blamed on the key's line,
// where a reader looks for it.
func entry(pair *ast.MappingValueNode) (string, value) {
	name := ""
	if t := pair.Key.GetToken(); t != nil {
		name = t.Value
	}
	return name, value{node: pair.Value, line: at(pair.Key).line}
}

func unknownKey(line int, name string, keys []key) []mistake {
	var known []string
	for _, k := range keys {
		if !k.hidden {
			known = append(known, k.name)
		}
	}
	return wrong(line, "Unknown key %q. %s", name, suggest(name, known))
}

// suggest completes a message about an unknown word.
func suggest(word string, known []string) string {
	if near := parley.Nearest(word, known, 1); len(near) > 0 {
		return "Did you mean " + near[0] + "?"
	}
	return "Known are " + strings.Join(known, ", ") + "."
}

// text returns a scalar as it was written: a name may look like a number.
func (v value) text() (string, []mistake) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return strings.TrimSpace(n.Value), nil
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", v.wrong("Expected a text.")
}

// integer returns a whole number within the given bounds.
func (v value) integer(lowest, highest int) (int, []mistake) {
	s, found := v.text()
	if found != nil {
		return 0, found
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < lowest || n > highest {
		return 0, v.wrong("Expected a whole number from %d to %d, not %q.", lowest, highest, s)
	}
	return n, nil
}

// items returns the values of a list.
func (v value) items() ([]value, []mistake) {
	seq, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil, v.wrong("Expected a list, like [a, b].")
	}
	out := make([]value, 0, len(seq.Values))
	for _, n := range seq.Values {
		item := at(n)
		// An item without a value has no place of its own.
		item.line, item.key = max(item.line, v.line), v.key
		out = append(out, item)
	}
	return out, nil
}

// plain returns a value of any shape as maps, lists, texts and numbers.
func (v value) plain() (any, []mistake) {
	switch n := v.node.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.IntegerNode:
		return n.Value, nil
	case *ast.FloatNode:
		return n.Value, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.StringNode, *ast.LiteralNode:
		return v.text()
	case *ast.SequenceNode:
		return v.plainList()
	case *ast.MappingNode:
		return plainMap(n)
	}
	return nil, v.wrong("Anchors, aliases and tags are not supported.")
}

func (v value) plainList() (any, []mistake) {
	items, found := v.items()
	out := make([]any, len(items))
	for i, item := range items {
		val, wrongs := item.plain()
		out[i] = val
		found = append(found, wrongs...)
	}
	return out, found
}

func plainMap(m *ast.MappingNode) (any, []mistake) {
	var found []mistake
	out := make(map[string]any, len(m.Values))
	for _, pair := range m.Values {
		name, item := entry(pair)
		val, wrongs := item.plain()
		out[name] = val
		found = append(found, wrongs...)
	}
	return out, found
}
