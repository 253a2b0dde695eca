package symbol

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	sitter "github.com/odvcencio/gotreesitter"
)

// patience bounds the parsing of one file, in microseconds.
const patience = 2_000_000

// grammar says how the tree of a language is read.
type grammar struct {
	language func() *sitter.Language
	// between stands between a name and what it stands in.
	between string
	// leads are the nodes that belong to the definition below them.
	leads []string
	// comment begins a line that belongs to the definition below it, for a grammar
	// that has such lines in odd places; empty if its tree can be trusted.
	comment string
	// wraps are the nodes that stand around a definition and belong to it.
	wraps []string
	// passes are the nodes in which definitions stand as if they were outside.
	passes []string
	// define reads a definition; no kind if the node is none.
	define func(t *tree, n *sitter.Node) definition
}

// definition is a node read as one.
type definition struct {
	kind, name string
	// body holds further definitions; they are named after inside, or after the
	// definition's own name.
	body   *sitter.Node
	inside string
	// isType makes functions in the body methods.
	isType bool
}

// tree is a file that has been parsed.
type tree struct {
	*grammar
	lang    *sitter.Language
	root    *sitter.Node
	src     []byte
	symbols []Symbol
}

// scope is where a definition stands.
type scope struct {
	prefix string
	isType bool
}

func (g *grammar) read(src []byte) ([]Symbol, error) {
	lang := g.language()
	if lang == nil {
		return nil, errors.New("its grammar is missing in this program")
	}
	parser := sitter.NewParser(lang)
	parser.SetTimeoutMicros(patience)
	parsed, err := parser.ParseStrict(src)
	if parsed != nil {
		defer parsed.Release()
	}
	if err != nil || parsed == nil {
		return nil, errors.New("it could not be parsed in time")
	}
	root := parsed.RootNode()
	t := &tree{grammar: g, lang: lang, root: root, src: src}
	if root == nil || len(bytes.TrimSpace(src)) == 0 {
		return nil, nil
	}
	if root.HasError() {
		return nil, fmt.Errorf("it has a syntax error near line %d", t.errorLine(root))
	}
	t.walk(root, scope{})
	return t.symbols, nil
}

// errorLine is where the first error is.
func (t *tree) errorLine(n *sitter.Node) int {
	for i := range n.ChildCount() {
		c := n.Child(i)
		if c.IsError() || c.IsMissing() {
			return int(c.StartPoint().Row) + 1
		}
		if c.HasError() {
			return t.errorLine(c)
		}
	}
	return int(n.StartPoint().Row) + 1
}

// walk reads the definitions right below a node.
func (t *tree) walk(parent *sitter.Node, s scope) {
	for i := range parent.ChildCount() {
		n := parent.Child(i)
		t.node(n, n, t.leading(parent, i), s)
	}
}

// node reads one node. The whole is what stands around it, and from is where
// what belongs to it begins.
func (t *tree) node(n, whole *sitter.Node, from int, s scope) {
	kind := n.Type(t.lang)
	switch {
	case slices.Contains(t.wraps, kind):
		several := t.count(n, "variable_declarator") > 1
		for i := range n.ChildCount() {
			c := n.Child(i)
			if several {
				whole, from = c, int(c.StartByte())
			}
			t.node(c, whole, from, s)
		}
	case slices.Contains(t.passes, kind):
		t.walk(n, s)
	default:
		if d := t.define(t, n); d.kind != "" && d.name != "" {
			t.add(d, whole, from, s)
		}
	}
}

func (t *tree) count(n *sitter.Node, kind string) (found int) {
	for i := range n.ChildCount() {
		if n.Child(i).Type(t.lang) == kind {
			found++
		}
	}
	return found
}

func (t *tree) add(d definition, whole *sitter.Node, from int, s scope) {
	if s.isType && d.kind == "function" {
		d.kind = "method"
	}
	name := s.prefix + d.name
	t.symbols = append(t.symbols, Symbol{Kind: d.kind, Name: name, from: from, to: t.endOf(whole)})
	if d.body == nil {
		return
	}
	inside := name
	if d.inside != "" {
		inside = s.prefix + d.inside
	}
	t.walk(d.body, scope{prefix: inside + t.between, isType: d.isType})
}

// leading is where a child begins together with the comments, attributes and
// decorators right above it. Several may share a line: they count once the first
// of it does, and a comment behind something else belongs to that.
func (t *tree) leading(parent *sitter.Node, i int) int {
	from := int(parent.Child(i).StartByte())
	at := from
	for i--; i >= 0; i-- {
		c := parent.Child(i)
		if !slices.Contains(t.leads, c.Type(t.lang)) || !t.adjacent(c, at) || t.inner(c) {
			break
		}
		if at = int(c.StartByte()); t.beginsLine(at) {
			from = at
		}
	}
	if t.comment != "" {
		from = t.commentsAbove(from)
	}
	return from
}

// commentsAbove goes up over lines of nothing but a comment, indented alike.
func (t *tree) commentsAbove(from int) int {
	start := bytes.LastIndexByte(t.src[:from], '\n') + 1
	indent := t.src[start:from]
	if !t.beginsLine(from) {
		return from
	}
	for start > 0 {
		above := bytes.LastIndexByte(t.src[:start-1], '\n') + 1
		line, indented := bytes.CutPrefix(t.src[above:start], indent)
		if !indented || !bytes.HasPrefix(line, []byte(t.comment)) || bytes.HasPrefix(line, []byte("#!")) || !t.isComment(above+len(indent)) {
			break
		}
		start, from = above, above+len(indent)
	}
	return from
}

// isComment tells a comment from the line of a text that looks like one.
func (t *tree) isComment(at int) bool {
	n := t.root.DescendantForByteRange(uint32(at), uint32(at+1))
	return n != nil && n.Type(t.lang) == "comment"
}

// adjacent reports whether a node ends on the line above the offset, or on the
// same one.
func (t *tree) adjacent(c *sitter.Node, below int) bool {
	between := t.src[min(t.endOf(c), below):below]
	return bytes.Count(between, []byte("\n")) <= 1
}

// beginsLine reports whether nothing but space stands before an offset.
func (t *tree) beginsLine(offset int) bool {
	line := t.src[bytes.LastIndexByte(t.src[:offset], '\n')+1 : offset]
	return len(bytes.TrimSpace(line)) == 0
}

// inner reports whether a comment or an attribute is about what it stands in.
func (t *tree) inner(c *sitter.Node) bool {
	text := t.text(c)
	return strings.HasPrefix(text, "//!") || strings.HasPrefix(text, "/*!") || strings.HasPrefix(text, "#![") || strings.HasPrefix(text, "#!/")
}

// endOf leaves out the line end that some grammars count to a node.
func (t *tree) endOf(n *sitter.Node) int {
	start, end := int(n.StartByte()), min(int(n.EndByte()), len(t.src))
	return start + len(bytes.TrimRight(t.src[min(start, end):end], " \t\r\n"))
}

func (t *tree) text(n *sitter.Node) string {
	if n == nil {
		return ""
	}
	return string(t.src[n.StartByte():min(int(n.EndByte()), len(t.src))])
}

func (t *tree) field(n *sitter.Node, name string) *sitter.Node {
	return n.ChildByFieldName(name, t.lang)
}

// named is the text of a node's name.
func (t *tree) named(n *sitter.Node) string { return t.text(t.field(n, "name")) }
