// Package yamlfile reads the YAML files that people write: the team's
// configuration and scripts. It is strict, and every complaint has its place.
//
// Reading walks the syntax tree instead of filling structs, because every
// complaint needs its place, also one about a range or a name, and all of them
// are wanted at once. Anchors, aliases and tags are not supported.
package yamlfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Mistake is one thing that is wrong with a file. Whoever opened the file
// knows its name.
type Mistake struct {
	// Line and Column count from 1. Line 0 means the whole file, and Column 0 the
	// whole line.
	Line, Column int
	// Text is a sentence for the person who wrote the file.
	Text string
}

// Value is one YAML value, the key that it belongs to, and its place.
type Value struct {
	// Key is the key of the value, or of the list around it; the root has none.
	Key string
	// node is the parser's, or one of those that parsePlain makes; nil without a value.
	node any
	// The place is on the line of the key, where a person looks for it, also if
	// the value begins below.
	line, column int
	keyColumn    int // 0 without a key
}

// Parse reads a text with at most one YAML document. The value of an empty text
// is absent.
func Parse(text string) (Value, []Mistake) {
	if v, ok := parsePlain(text); ok {
		return v, nil
	}
	return parseAny(text)
}

// parseAny reads a text with the parser.
func parseAny(text string) (Value, []Mistake) {
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return Value{}, syntaxMistake(err)
	}
	docs := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch len(docs) {
	case 0:
		return Value{line: 1, column: 1}, nil
	case 1:
		return newValue(docs[0].Body), nil
	default:
		return Value{}, newValue(docs[1].Body).Wrong("A second YAML document begins here; there may be only one.")
	}
}

// syntaxMistake takes the bare message of a parser error. Its full text quotes
// the lines around the error, and one of them may hold a password.
func syntaxMistake(err error) []Mistake {
	var e yaml.Error
	if !errors.As(err, &e) {
		return []Mistake{{Line: 1, Column: 1, Text: "This is not valid YAML."}}
	}
	hint := ""
	switch {
	case strings.Contains(e.GetMessage(), "mapping value is not allowed"):
		hint = " Put a text that contains a colon in quotes."
	case strings.Contains(e.GetMessage(), "undefined alias name"):
		hint = ` Put a star in quotes: "*".`
	}
	m := Mistake{Line: 1, Column: 1, Text: fmt.Sprintf("This is not valid YAML: %s.%s", e.GetMessage(), hint)}
	if t := e.GetToken(); t != nil && t.Position != nil {
		m.Line, m.Column = t.Position.Line, t.Position.Column
	}
	return []Mistake{m}
}

func newValue(n ast.Node) Value {
	v := Value{line: 1, column: 1}
	if n == nil {
		return v
	}
	v.node = n
	// The parser's own position of a block mapping is its first colon.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		v.line, v.column = t.Position.Line, t.Position.Column
	}
	return v
}

// Line is the line to name when something is wrong with the value.
func (v Value) Line() int { return v.line }

// Place is the line and column to name, as line:column.
func (v Value) Place() string { return fmt.Sprintf("%d:%d", v.line, v.column) }

// Wrong makes a mistake at the value's place. It names the key, since a line
// may have several.
func (v Value) Wrong(format string, args ...any) []Mistake {
	text := fmt.Sprintf(format, args...)
	if v.Key != "" {
		text = v.Key + ": " + text
	}
	return []Mistake{{Line: v.line, Column: v.column, Text: text}}
}

// WrongKey makes a mistake at the place of the key, which the text should name.
func (v Value) WrongKey(format string, args ...any) []Mistake {
	return []Mistake{{Line: v.line, Column: v.keyColumn, Text: fmt.Sprintf(format, args...)}}
}

// expected refuses a value of the wrong type. An anchor, an alias or a tag may
// hide the right type, so these get a sentence of their own.
func (v Value) expected(what string) []Mistake {
	switch v.node.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return v.Wrong("Anchors, aliases and tags are not supported. Write the value out.")
	}
	return v.Wrong("Expected %s.", what)
}

// Absent reports whether there is no value: the key stands alone, or has null.
func (v Value) Absent() bool {
	_, null := v.node.(*ast.NullNode)
	return v.node == nil || null
}

// IsList reports whether Items would succeed.
func (v Value) IsList() bool {
	switch v.node.(type) {
	case *ast.SequenceNode, plainList:
		return true
	}
	return false
}

// IsMapping reports whether the value consists of keys and values.
func (v Value) IsMapping() bool {
	switch v.node.(type) {
	case *ast.MappingNode, plainMapping:
		return true
	}
	return false
}

// Text is a scalar exactly as it was written: 42 and true are texts, too.
func (v Value) Text() (string, []Mistake) {
	switch n := v.node.(type) {
	case plainText:
		return string(n), nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode:
		return n.GetToken().Value, nil
	case *ast.FloatNode:
		return n.GetToken().Value, nil
	case *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", v.expected("a text")
}

// Trimmed is the text without white space around it.
func (v Value) Trimmed() (string, []Mistake) {
	s, found := v.Text()
	return strings.TrimSpace(s), found
}

// Integer is a whole number within the given bounds.
func (v Value) Integer(lowest, highest int) (int, []Mistake) {
	s, found := v.Trimmed()
	if found != nil {
		return 0, found
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < lowest || n > highest {
		return 0, v.Wrong("Expected a whole number from %d to %d, not %q.", lowest, highest, s)
	}
	return n, nil
}

// Items are the values of a list.
func (v Value) Items() ([]Value, []Mistake) {
	if list, ok := v.node.(plainList); ok {
		return list, nil
	}
	seq, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil, v.expected("a list, like [a, b]")
	}
	items := make([]Value, 0, len(seq.Values))
	for _, n := range seq.Values {
		item := newValue(n)
		// An item without a value has no place of its own.
		item.line, item.Key = max(item.line, v.line), v.Key
		items = append(items, item)
	}
	return items, nil
}

// Scalar is a number, a truth value, a text as it was written, or nil.
func (v Value) Scalar() (any, []Mistake) {
	switch n := v.node.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.IntegerNode:
		return n.Value, nil
	case *ast.FloatNode:
		return n.Value, nil
	case *ast.BoolNode:
		return n.Value, nil
	case plainText, *ast.StringNode, *ast.LiteralNode:
		return v.Text()
	}
	return nil, v.expected("a text, a number, true, false or null")
}
