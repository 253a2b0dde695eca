package watch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/cli/view"
)

// longest is how many bytes of a text are looked at for one line. No screen is
// wider, and an agent may have written a megabyte.
const longest = 1000

// oneLine makes a text that somebody wrote fit for a cell: one line, no escape
// codes, nothing that changes the direction of writing, and nothing whose width
// terminals disagree about.
func oneLine(s string) string {
	if len(s) > longest {
		s = strings.Clone(strings.ToValidUTF8(s[:longest], "")) // or all of it would be kept
	}
	if isLine(s) {
		return s
	}
	return settle(view.Line(s))
}

// isLine reports whether a text is a clean line already, as most are.
func isLine(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// manyLines is oneLine for a text that may have line breaks.
func manyLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(view.Clean(s), "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = settle(line)
	}
	return lines
}

// settle leaves out what has no width of its own: joiners and marks of direction,
// variations of pictures, and accents beyond a few on one letter.
func settle(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	marks := 0
	for _, r := range s {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case marks > maxMarks, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		case r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// maxMarks is how many accents one letter may carry.
const maxMarks = 2

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// columns is how many columns a text takes.
func columns(s string) int { return ansi.StringWidth(s) }

// fit shortens a line to n columns.
func fit(s string, n int, end string) string {
	if n <= 0 {
		return ""
	}
	if columns(s) <= n {
		return s
	}
	if columns(end) >= n {
		end = ""
	}
	return ansi.Truncate(s, n, end)
}

// pad fills a line with spaces up to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-columns(s))) }

// wrap breaks a clean line at spaces so that every piece has at most n columns.
func wrap(line string, n int) []string {
	if n <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(line, n, ""), "\n")
}
