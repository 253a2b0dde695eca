package markup

import (
	"strings"
	"unicode/utf16"
)

// Joiner is not seen, and keeps what it stands between from being read as one.
const Joiner = "\u2060"

// Calm is a name that calls nobody.
func Calm(name string) string { return "@" + Joiner + Uncalled(strings.TrimPrefix(name, "@")) }

// Uncalled is a text whose names call nobody.
func Uncalled(text string) string { return strings.ReplaceAll(text, "@", "@"+Joiner) }

// Units is how long a text is as most programs count: in units of UTF-16.
func Units(text string) (n int) {
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// Cut cuts a text to so many characters.
func Cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// Around puts marks around text, within each line: marks do not reach over the end of one.
func Around(mark string) func(string) string {
	return func(text string) string {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if line = strings.TrimSpace(line); line != "" {
				lines[i] = mark + line + mark
			}
		}
		return strings.Join(lines, "\n")
	}
}

// Quoted puts a mark before each line.
func Quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// CodeLine is code between backquotes: one line that has none itself.
func CodeLine(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "ˋ")), " ")
}
