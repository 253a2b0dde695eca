package view

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Columns is how many columns a text takes on a terminal.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Line makes one clean line of a text that somebody wrote.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Clean removes the control characters from a text that somebody wrote, so that an
// agent cannot move the reader's cursor or repaint the screen. Line breaks and
// tabs stay.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), bidirectional(r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// bidirectional reports whether a character changes the direction of writing. Such
// characters can make a line look like a different one.
func bidirectional(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// fit shortens a line to n columns; 0 leaves it as it is.
func (s Screen) fit(line string, n int) string {
	if n <= 0 || Columns(line) <= n {
		return line
	}
	end := s.Ellipsis()
	if n <= Columns(end) {
		return strings.Repeat(".", n)
	}
	room, used := n-Columns(end), 0
	for i, r := range line {
		if used += columns(r); used > room {
			return strings.TrimRight(line[:i], " ") + end
		}
	}
	return line
}

// pad fills a line with spaces up to n columns.
func pad(line string, n int) string {
	return line + strings.Repeat(" ", max(0, n-Columns(line)))
}

// padLeft is pad for numbers.
func padLeft(line string, n int) string {
	return strings.Repeat(" ", max(0, n-Columns(line))) + line
}

// Wrap breaks a text into lines of at most n columns at spaces, keeping its
// own line breaks and the indentation of each line.
func Wrap(text string, n int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, wrapLine(strings.ReplaceAll(line, "\t", "    "), n)...)
	}
	return lines
}

func wrapLine(line string, n int) []string {
	if n <= 0 || Columns(line) <= n {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if Columns(indent) > n/2 {
		indent = ""
	}
	var lines []string
	current, empty := indent, true
	for word := range strings.FieldsSeq(line) {
		if !empty && Columns(current)+1+Columns(word) > n {
			lines, current, empty = append(lines, current), indent, true
		}
		if !empty {
			current += " "
		}
		for Columns(current)+Columns(word) > n {
			head, tail := cut(word, n-Columns(current))
			lines, current, word = append(lines, current+head), indent, tail
		}
		current, empty = current+word, word == ""
	}
	if empty {
		return lines // the last word filled its line
	}
	return append(lines, current)
}

// cut splits a word that is longer than a line. head has at least one character,
// or the loop of its caller would never end.
func cut(word string, n int) (head, tail string) {
	used := 0
	for i, r := range word {
		if used += columns(r); used > n && i > 0 {
			return word[:i], word[i:]
		}
	}
	return word, ""
}

// Indent breaks a text to fit and puts a margin before every line.
func (s Screen) Indent(text, margin string) string {
	room := 0
	if s.Width > 0 {
		room = max(20, s.Width-Columns(margin))
	}
	var b strings.Builder
	for _, line := range Wrap(Clean(text), room) {
		b.WriteString(strings.TrimRight(margin+line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// Text breaks a text to fit.
func (s Screen) Text(text string) string { return s.Indent(text, "") }

// Fit shortens a line to the screen.
func (s Screen) Fit(line string) string { return s.fit(line, s.Width-1) }
