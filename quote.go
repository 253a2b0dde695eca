package parley

import (
	"strings"
	"unicode/utf8"
)

// Quote keeps the text of a participant from passing for the hub's own: it puts
// "> " before each line in which something looks like a header or a notice of the
// hub.
func Quote(s string) string {
	if isRedacted(s) {
		return s
	}
	lines := imitations(s)
	if lines == nil {
		return s
	}
	var b strings.Builder
	copied := 0
	for _, start := range lines {
		b.WriteString(s[copied:start])
		b.WriteString("> ")
		copied = start
	}
	b.WriteString(s[copied:])
	return b.String()
}

// isRedacted reports whether a whole text is what takes the place of a redacted one.
func isRedacted(s string) bool {
	rest, begins := strings.CutPrefix(s, redactedPrefix)
	name, ends := strings.CutSuffix(rest, "]")
	return begins && ends && CheckName(name) == nil
}

// Entry shows a text as one entry of a list: it is quoted, and every further line of
// it is marked, so that none can pass for the next entry.
func Entry(s string) string { return Continued(Quote(s)) }

// Continued marks every line of a text but the first.
func Continued(s string) string {
	s = strings.TrimRightFunc(s, lineBreak)
	if !strings.ContainsFunc(s, lineBreak) {
		return s
	}
	var b strings.Builder
	start := 0
	for i, r := range s {
		if lineBreak(r) {
			if between := i > 0 && r == '\n' && s[i-1] == '\r'; !between {
				b.WriteString(s[start:i])
				b.WriteString(continued)
			}
			start = i + utf8.RuneLen(r)
		}
	}
	b.WriteString(s[start:])
	return b.String()
}

// continued goes before the second and every further line of an entry.
const continued = "\n  | "

// lineBreak reports whether some reader begins a new line after r.
func lineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
