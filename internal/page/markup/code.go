package markup

import (
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// largestCode is how much of a code block is coloured.
const largestCode = 16 << 10

// blocks renders code with colours, and tables and pictures in our own way.
type blocks struct{}

func (b blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, b.fenced)
	r.Register(ast.KindCodeBlock, b.indented)
	r.Register(ast.KindImage, b.image)
	r.Register(ast.KindRawHTML, b.raw)
	r.Register(ast.KindHTMLBlock, b.rawBlock)
	r.Register(extast.KindTaskCheckBox, b.box)
	b.registerMention(r)
}

func (blocks) fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		block := n.(*ast.FencedCodeBlock)
		language := ""
		if block.Info != nil {
			language = string(block.Language(source))
		}
		_, _ = w.WriteString(string(Code(textOf(n, source), language)))
	}
	return ast.WalkSkipChildren, nil
}

func (blocks) indented(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(string(Code(textOf(n, source), "")))
	}
	return ast.WalkSkipChildren, nil
}

// image shows where a picture is; the page loads nothing from elsewhere.
func (blocks) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		at := template.HTMLEscapeString(string(n.(*ast.Image).Destination))
		_, _ = w.WriteString(`<code>` + at + `</code>`)
	}
	return ast.WalkSkipChildren, nil
}

// raw shows HTML as the text that it is.
func (blocks) raw(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			s := segments.At(i)
			template.HTMLEscape(w, s.Value(source))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (blocks) rawBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		block := n.(*ast.HTMLBlock)
		_, _ = w.WriteString("<p>")
		template.HTMLEscape(w, []byte(textOf(n, source)))
		if block.HasClosure() {
			template.HTMLEscape(w, block.ClosureLine.Value(source))
		}
		_, _ = w.WriteString("</p>")
	}
	return ast.WalkSkipChildren, nil
}

func (blocks) box(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		mark := "☐ "
		if n.(*extast.TaskCheckBox).IsChecked {
			mark = "☑ "
		}
		_, _ = w.WriteString(mark)
	}
	return ast.WalkContinue, nil
}

func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		s := lines.At(i)
		b.Write(s.Value(source))
	}
	return b.String()
}

// Code shows source text with colours, if the language is known.
func Code(text, language string) template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="code">`)
	lexer := lexers.Get(language)
	if language != "" && lexer != nil {
		b.WriteString(`<div class="code-h"><span>` + template.HTMLEscapeString(lexer.Config().Name) + `</span></div>`)
	}
	b.WriteString(`<pre tabindex="0"><code>`)
	if language == "" || lexer == nil || len(text) > largestCode {
		b.WriteString(template.HTMLEscapeString(clean(text)))
	} else {
		colour(&b, chroma.Coalesce(lexer), clean(text))
	}
	b.WriteString(`</code></pre></div>`)
	return template.HTML(b.String())
}

func colour(b *strings.Builder, lexer chroma.Lexer, text string) {
	tokens, err := lexer.Tokenise(nil, text)
	if err != nil {
		b.WriteString(template.HTMLEscapeString(text))
		return
	}
	for t := tokens(); t != chroma.EOF; t = tokens() {
		class := classOf(t.Type)
		if class == "" {
			b.WriteString(template.HTMLEscapeString(t.Value))
			continue
		}
		b.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(t.Value) + `</span>`)
	}
}

// classOf is one of the five colours that code has here.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "n"
	case t.InCategory(chroma.Comment):
		return "c"
	case t == chroma.NameFunction || t == chroma.NameBuiltin || t == chroma.NameTag:
		return "f"
	case t == chroma.GenericInserted:
		return "add"
	case t == chroma.GenericDeleted:
		return "del"
	}
	return ""
}
