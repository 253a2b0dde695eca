package markup

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"

	"parley/internal/markdown"
)

var parser = goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Table)).Parser()

// block is a paragraph, a list or the like in the form of a program.
type block struct {
	text string // empty if it is surely too long for a post
	// plain is the same without markup, to be cut if it is too long for a post. code says
	// that it is shown in a block, and language which one.
	plain    string
	code     bool
	language string
}

// blocks makes the blocks of a piece.
func (f Form) blocks(p Piece) (list []block) {
	switch {
	case p.Code != "":
		return []block{f.codeBlock("", Clean(p.Code))}
	case p.Plain != "":
		return []block{f.plainBlock(Clean(p.Plain))}
	}
	text := Clean(p.Markdown)
	if len(text) > largest || markdown.Tangled(text) {
		return []block{f.plainBlock(text)}
	}
	w := writer{Form: f, source: []byte(text)}
	document := parser.Parse(gmtext.NewReader(w.source))
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if b, ok := w.block(n); ok {
			list = append(list, b)
		}
	}
	return list
}

// largest is how much of a text is read as Markdown.
const largest = 32 << 10

func (f Form) plainBlock(text string) block {
	b := block{plain: text}
	if !f.surelyTooLong(text) {
		b.text = f.Escape(text)
	}
	return b
}

func (f Form) codeBlock(language, code string) block {
	code = strings.TrimRight(code, "\n")
	b := block{plain: code, code: true, language: language}
	if !f.surelyTooLong(code) {
		b.text = f.Block(language, code)
	}
	return b
}

// writer writes the nodes of one text.
type writer struct {
	Form
	source []byte
	depth  int
}

// deepest bounds how far what is nested is followed.
const deepest = 8

func (w *writer) block(n ast.Node) (block, bool) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		return w.codeBlock(word(string(n.Language(w.source))), w.lines(n)), true
	case *ast.CodeBlock:
		return w.codeBlock("", w.lines(n)), true
	case *extast.Table:
		return w.codeBlock("", w.table(n)), true
	}
	b := block{text: w.flow(n), plain: w.plain(n)}
	return b, strings.TrimSpace(b.plain) != "" || b.text != ""
}

// word is the name of a language, if it is one.
func word(s string) string {
	for _, r := range s {
		if r != '-' && r != '+' && r != '#' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return ""
		}
	}
	return s[:min(len(s), 20)]
}

// flow writes a block that is no code of its own.
func (w *writer) flow(n ast.Node) string {
	if w.depth++; w.depth > deepest {
		w.depth--
		return w.Escape(w.plain(n))
	}
	defer func() { w.depth-- }()
	switch n := n.(type) {
	case *ast.Heading:
		return w.Bold(w.inline(n))
	case *ast.ThematicBreak:
		return "———"
	case *ast.Blockquote:
		if w.depth > 1 {
			return w.children(n, "\n") // quotes within quotes are not known everywhere
		}
		return w.Quote(w.children(n, "\n"))
	case *ast.List:
		return w.list(n)
	case *ast.HTMLBlock:
		return w.Escape(strings.TrimRight(w.raw(n), "\n"))
	case *ast.FencedCodeBlock, *ast.CodeBlock, *extast.Table:
		b, _ := w.block(n)
		return b.text
	case *ast.Paragraph, *ast.TextBlock:
		return w.inline(n)
	}
	return w.Escape(w.plain(n))
}

func (w *writer) children(n ast.Node, between string) string {
	var parts []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		parts = append(parts, w.flow(c))
	}
	return strings.Join(parts, between)
}

func (w *writer) list(n *ast.List) string {
	var items []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + w.Escape(". ")
			number++
		}
		items = append(items, mark+strings.ReplaceAll(w.children(c, "\n"), "\n", "\n   "))
	}
	return strings.Join(items, "\n")
}

// inline writes the words of a block.
func (w *writer) inline(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			var text string
			text, c = w.words(t)
			b.WriteString(text)
			continue
		}
		b.WriteString(w.span(c))
	}
	return b.String()
}

// words writes a text together with those that go on with it, and returns the last of them.
// Marks that mark nothing are texts of their own, but an address that has them has to be
// seen whole.
func (w *writer) words(t *ast.Text) (string, ast.Node) {
	segment := t.Segment
	for !t.SoftLineBreak() && !t.HardLineBreak() {
		next, ok := t.NextSibling().(*ast.Text)
		if !ok || next.Segment.Start != segment.Stop || next.Segment.Padding != 0 {
			break
		}
		segment.Stop, t = next.Segment.Stop, next
	}
	s := w.Escape(string(segment.Value(w.source)))
	if t.SoftLineBreak() || t.HardLineBreak() {
		s += "\n"
	}
	return s, t
}

func (w *writer) span(n ast.Node) string {
	if w.depth++; w.depth > 4*deepest {
		w.depth--
		return w.Escape(w.plain(n))
	}
	defer func() { w.depth-- }()
	switch n := n.(type) {
	case *ast.String:
		return w.Escape(string(n.Value))
	case *ast.CodeSpan:
		return w.Code(w.plain(n))
	case *ast.Emphasis:
		if n.Level == 2 {
			return w.Bold(w.inline(n))
		}
		return w.Italic(w.inline(n))
	case *extast.Strikethrough:
		return w.Strike(w.inline(n))
	case *ast.Link:
		return w.link(w.inline(n), string(n.Destination))
	case *ast.Image:
		return w.link(w.inline(n), string(n.Destination))
	case *ast.AutoLink:
		return w.link("", string(n.URL(w.source)))
	case *ast.RawHTML:
		return w.Escape(w.plain(n))
	}
	return w.inline(n)
}

// link writes a link to a web page. Others are text: they may call people, or start
// programs.
func (w *writer) link(text, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		if text == "" {
			return w.Escape(address)
		}
		return text + w.Escape(" ("+address+")")
	}
	if text == w.Escape(address) {
		text = ""
	}
	return w.Link(text, u.String())
}

func (w *writer) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(w.source))
	}
	return b.String()
}

func (w *writer) raw(n *ast.HTMLBlock) string {
	s := w.lines(n)
	if n.HasClosure() {
		s += string(n.ClosureLine.Value(w.source))
	}
	return s
}

// table is a table as text: the cells between bars.
func (w *writer) table(n *extast.Table) string {
	var b strings.Builder
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, strings.TrimSpace(w.plain(cell)))
		}
		b.WriteString(strings.Join(cells, " | ") + "\n")
	}
	return b.String()
}

// plain is what a node says, without markup.
func (w *writer) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		if !entering {
			if n.Type() == ast.TypeBlock && n.NextSibling() != nil {
				b.WriteString("\n")
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(w.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteString("\n")
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.URL(w.source))
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				part := n.Segments.At(i)
				b.Write(part.Value(w.source))
			}
		case *ast.HTMLBlock:
			b.WriteString(w.raw(n))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.WriteString(w.lines(n))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
