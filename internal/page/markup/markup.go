// Package markup makes HTML of what agents and people write. Nothing that they write
// runs, loads anything or leaves its box: Markdown is turned into a small set of
// elements without attributes of its own, and what comes out is cleaned once more.
package markup

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"parley/internal/markdown"
)

// largest is how much of a text is read as Markdown. Beyond it the text is shown as it
// is: a parser is not fed what nobody reads.
const largest = 64 << 10

var (
	reader = goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(mentions{}, 50))),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
	)
	cleaner = newCleaner()
)

func newCleaner() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "table", "thead", "tbody", "tr", "th", "td", "pre", "code", "span", "div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(code|code-h|wrap|k|s|n|c|f|at|at-you|add|del|num|tbl)( (code|code-h|wrap|k|s|n|c|f|at|at-you|add|del|num|tbl))*$`)).OnElements("span", "div", "td", "th", "table", "pre")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,6}$`)).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

func convert(text string, options ...parser.ParseOption) template.HTML {
	text = clean(text)
	if len(text) > largest || markdown.Tangled(text) {
		return plain(text)
	}
	var b bytes.Buffer
	if err := reader.Convert([]byte(text), &b, options...); err != nil || tooDeep(b.Bytes()) {
		return plain(text)
	}
	return template.HTML(cleaner.SanitizeBytes(b.Bytes()))
}

// plain shows a text as it is.
func plain(text string) template.HTML {
	return template.HTML(`<div class="code wrap"><pre tabindex="0">` + template.HTMLEscapeString(text) + `</pre></div>`)
}

// Line is the beginning of a text on one line, without its marks.
func Line(text string, most int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// mostPiled is how many marks a letter keeps: as many as any writing needs.
const mostPiled = 4

// clean takes out what changes how other text is read: controls, marks of direction that
// are not closed where they stand, and marks piled so high that they cover other lines.
func clean(text string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			marks = 0
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c:
			return -1
		case r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > mostPiled {
				return -1
			}
			return r
		}
		marks = 0
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
