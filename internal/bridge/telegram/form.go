package telegram

import (
	"fmt"
	"strings"
	"unicode"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// form is the HTML that Telegram reads. It knows few elements and no attributes but that
// of a link, so there is little that a text can do.
var form = markup.Form{
	Escape: escape,
	Bold:   element("b"),
	Italic: element("i"),
	Strike: element("s"),
	Quote:  element("blockquote"),
	Code:   func(text string) string { return "<code>" + escapeHTML(text) + "</code>" },
	Block: func(language, text string) string {
		if language == "" {
			return "<pre>" + escapeHTML(text) + "</pre>"
		}
		return `<pre><code class="language-` + escapeHTML(language) + `">` + escapeHTML(text) + "</code></pre>"
	},
	Link: func(text, address string) string {
		link := `<a href="` + escapeHTML(address) + `">` + escapeHTML(address) + "</a>"
		if text == "" {
			return link
		}
		return text + " (" + link + ")"
	},
	Longest: 3800,
	Size:    markup.Units,
}

func element(name string) func(string) string {
	return func(text string) string { return "<" + name + ">" + text + "</" + name + ">" }
}

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escapeHTML(s string) string { return htmlEscaper.Replace(s) }

// escape makes text harmless. Telegram makes names that call people of @name, and of
// /command a button by which the reader says it. It is called for pieces of what will be one
// text, so what ends a piece counts as if a name came next.
func escape(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if strings.ContainsRune(`&<>"`, r) {
			b.WriteString(escapeHTML(string(r)))
		} else {
			b.WriteRune(r)
		}
		if (r == '@' || r == '/') && (i+1 == len(runes) || wordRune(runes[i+1])) && (i == 0 || !wordRune(runes[i-1]) && !strings.ContainsRune("/<>", runes[i-1])) {
			b.WriteString(markup.Joiner)
		}
	}
	return b.String()
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// whole is a post with its author on the first line. No text has the mark before the name.
func whole(p bridge.Post) string {
	head := markup.HubMark + " parley"
	switch p.From.Kind {
	case bridge.ByAgent:
		head = markup.AgentMark + " " + p.From.Name
	case bridge.ByPerson:
		head = markup.PersonMark + " " + p.From.Name
	}
	head = "<b>" + escape(head) + "</b>"
	if p.Parts > 1 {
		head += fmt.Sprintf(" (%d/%d)", p.Part, p.Parts)
	}
	if p.Again {
		head += " (perhaps a repeat)"
	}
	return head + "\n" + p.Text
}
