package scripted

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"parley"
)

// source is the file being read. Its methods turn YAML nodes into values and
// refuse what does not fit, naming file, line and column.
type source struct {
	name string
}

// root is the top node of the file.
func (s source) root(data []byte) (ast.Node, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, s.syntaxError(err)
	}
	switch {
	case len(file.Docs) > 1:
		return nil, s.errorf(file.Docs[1].Body, "a script is one YAML document")
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, parley.Errorf(parley.Invalid, "%s:1:1: the script is empty", s.name)
	}
	return file.Docs[0].Body, nil
}

// syntaxError words the YAML parser's complaint like all others.
func (s source) syntaxError(err error) error {
	var ye yaml.Error
	if !errors.As(err, &ye) || ye.GetToken() == nil {
		return parley.Errorf(parley.Invalid, "%s:1:1: %v", s.name, err).WithCause(err)
	}
	p := ye.GetToken().Position
	return parley.Errorf(parley.Invalid, "%s:%d:%d: %s", s.name, p.Line, p.Column, ye.GetMessage()).WithCause(err)
}

func (s source) errorf(n ast.Node, format string, args ...any) error {
	return parley.Errorf(parley.Invalid, "%s: %s", s.place(n), fmt.Sprintf(format, args...))
}

// place is where a node begins, as file:line:column.
func (s source) place(n ast.Node) string {
	// The parser's own position of a block mapping is its first colon.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	line, column := 1, 1
	if n != nil && n.GetToken() != nil {
		line, column = n.GetToken().Position.Line, n.GetToken().Position.Column
	}
	return fmt.Sprintf("%s:%d:%d", s.name, line, column)
}

// entries are the keys and values of a mapping, in the order of the file.
func (s source) entries(n ast.Node, what string) ([]*ast.MappingValueNode, error) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return nil, s.unfit(n, "%s is written as keys and values", what)
	}
	for _, v := range m.Values {
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			return nil, s.errorf(v.Key, "<< is not supported")
		}
	}
	return m.Values, nil
}

// fields are the values of a mapping of which all keys are known.
func (s source) fields(n ast.Node, what string, known ...string) (map[string]ast.Node, error) {
	entries, err := s.entries(n, what)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]ast.Node, len(entries))
	for _, e := range entries {
		key, err := s.text(e.Key, "a key")
		if err != nil {
			return nil, err
		}
		if !slices.Contains(known, key) {
			return nil, s.errorf(e.Key, "unknown key %q; %s has %s", key, what, strings.Join(known, ", "))
		}
		fields[key] = e.Value
	}
	return fields, nil
}

// list is the items of a sequence that must not be empty.
func (s source) list(n ast.Node, what string) ([]ast.Node, error) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, s.unfit(n, "%s must be a list", what)
	}
	if len(seq.Values) == 0 {
		return nil, s.errorf(n, "%s must not be empty", what)
	}
	return seq.Values, nil
}

// text is a scalar as it is written: say: 42 says 42.
func (s source) text(n ast.Node, what string) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	default:
		return "", s.unfit(n, "%s must be a text", what)
	}
}

// unfit refuses a node of the wrong type. Behind an anchor, an alias or a tag
// the right type may hide, so these get a sentence of their own.
func (s source) unfit(n ast.Node, format string, args ...any) error {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return s.errorf(n, "anchors, aliases and tags are not supported: write the value out")
	}
	return s.errorf(n, format, args...)
}

func (s source) pattern(n ast.Node, what string) (*regexp.Regexp, error) {
	text, err := s.text(n, what)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil, s.errorf(n, "%s must not be empty", what)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, s.errorf(n, "%s: %v", what, err)
	}
	return re, nil
}

func (s source) template(n ast.Node, what string, match *regexp.Regexp) (template, error) {
	text, err := s.text(n, what)
	if err != nil {
		return template{}, err
	}
	parts, err := compileTemplate(text, match)
	if err != nil {
		return template{}, s.errorf(n, "%v", err)
	}
	return template{parts: parts, where: s.place(n)}, nil
}

func (s source) duration(n ast.Node, what string) (time.Duration, error) {
	text, err := s.text(n, what)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, s.errorf(n, "%s must be a time like 150ms, 2s or 1m30s, not %q", what, text)
	}
	return d, nil
}

func (s source) count(n ast.Node, what string) (int, error) {
	text, err := s.text(n, what)
	if err != nil {
		return 0, err
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 1 {
		return 0, s.errorf(n, "%s must be a number from 1, not %q", what, text)
	}
	return i, nil
}
