package markup

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Exact shows a text as it is, so that two texts that differ also look different: what
// cannot be seen, or changes how the rest is read, is shown by its number. It is for
// what a person decides about, where nothing may be left out.
func Exact(text string) template.HTML {
	var b strings.Builder
	exact(&b, text)
	return template.HTML(b.String())
}

// ExactLines is Exact with a number before each line. Lines are wrapped, not cut.
func ExactLines(text string) template.HTML {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	b.WriteString(`<pre tabindex="0"`)
	if len(lines) > 999 {
		b.WriteString(` class="l5"`)
	}
	b.WriteString(`><code>`)
	for i, line := range lines {
		b.WriteString(`<span class="l"><span class="ln" aria-hidden="true">` + strconv.Itoa(i+1) + `</span><span class="lt">`)
		exact(&b, line)
		b.WriteString("</span>\n</span>")
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteString(`<span class="l meta">no line end</span>`)
	}
	b.WriteString(`</code></pre>`)
	return template.HTML(b.String())
}

// mostMarks is how many marks stand on one letter. More would cover the lines around it.
const mostMarks = 2

func exact(b *strings.Builder, text string) {
	marks := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			escape(b, fmt.Sprintf(`\x%02x`, text[i]))
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > mostMarks || hidden(r) {
				escape(b, number(r))
			} else {
				b.WriteRune(r)
			}
			i += size
			continue
		case hidden(r):
			escape(b, number(r))
		default:
			b.WriteString(template.HTMLEscapeString(text[i : i+size]))
		}
		marks = 0
		i += size
	}
}

func escape(b *strings.Builder, text string) {
	b.WriteString(`<span class="esc">` + text + `</span>`)
}

func number(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// hidden reports whether a character is not seen as itself: controls, marks of direction,
// what has no width, blanks that are not the common one, and what no font has.
func hidden(r rune) bool {
	switch {
	case r == ' ' || r == '\t':
		return false
	case r >= 0x21 && r <= 0x7e:
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // choose another shape
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0, r >= 0x180b && r <= 0x180f:
		return true // letters that look like nothing
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Z, unicode.Cf)
}
