package markup

import (
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley"
)

// Named finds a participant by its folded name; you says that it is who reads.
type Named func(folded string) (name string, you, ok bool)

// Mentioning renders Markdown in which names after an @ lead to who is meant. It is not
// kept, since who has a name can change.
func (d *Drawn) Mentioning(source string, named Named) template.HTML {
	if !strings.ContainsRune(source, '@') {
		return d.HTML(source)
	}
	pc := parser.NewContext()
	pc.Set(namedKey, named)
	return link(convert(source, parser.WithContext(pc)))
}

var namedKey = parser.NewContextKey()

// mention is a name in a text.
type mention struct {
	ast.BaseInline
	name string
	you  bool
}

var kindMention = ast.NewNodeKind("Mention")

func (*mention) Kind() ast.NodeKind            { return kindMention }
func (m *mention) Dump(source []byte, lvl int) { ast.DumpHelper(m, source, lvl, nil, nil) }

// mentions finds names after an @.
type mentions struct{}

// around is how many bytes on each side of an @ can matter: more than the longest name
// has. All of them, copied for each @, would take seconds for a text of nothing else.
const around = 256

func (mentions) Trigger() []byte { return []byte{'@'} }

func (mentions) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	named, ok := pc.Get(namedKey).(Named)
	if !ok {
		return nil
	}
	line, segment := block.PeekLine()
	known := func(folded string) bool { _, _, ok := named(folded); return ok }
	before := block.Source()[max(0, segment.Start-around):segment.Start]
	folded, size := parley.MentionAt(string(before), string(line[1:min(len(line), 1+around)]), known)
	if size == 0 {
		return nil
	}
	block.Advance(1 + size)
	m := &mention{}
	m.name, m.you, _ = named(folded)
	return m
}

func renderMention(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		m := n.(*mention)
		class := "at"
		if m.you {
			class = "at at-you"
		}
		_, _ = w.WriteString(`<span class="` + class + `">@` + template.HTMLEscapeString(m.name) + `</span>`)
	}
	return ast.WalkContinue, nil
}

func (blocks) registerMention(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindMention, renderMention)
}

// marked is how a name comes out of the cleaner, which lets no address of ours through.
// Nobody can write it: markup in a text is shown as it is.
var marked = regexp.MustCompile(`<span class="(at|at at-you)">@([^<>"]+)</span>`)

// link makes links of names.
func link(clean template.HTML) template.HTML {
	return template.HTML(marked.ReplaceAllStringFunc(string(clean), func(span string) string {
		parts := marked.FindStringSubmatch(span)
		to := "/agents/" + url.PathEscape(html.UnescapeString(parts[2]))
		return `<a class="` + parts[1] + `" href="` + template.HTMLEscapeString(to) + `">@` + parts[2] + `</a>`
	}))
}
