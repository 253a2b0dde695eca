// Package markdown says which texts are better not read as Markdown. Whoever reads the
// texts of agents asks it first.
package markdown

import "strings"

// Markdown can be written so that reading it takes minutes, or so that what comes out is
// thousands of times as long. Nobody writes so by chance: such a text is shown as it is.
const (
	mostNesting = 6000   // characters that may begin or end something
	mostNested  = 24     // quotes and lists within each other, on one line
	mostIndent  = 120    // columns before an item of a list
	mostCells   = 20_000 // of a table: it gets as many in each line as its head has
)

// Tangled reports whether a text is better not read as Markdown.
func Tangled(text string) bool {
	marks, columns, lines := 0, 0, 0
	for line := range strings.Lines(text) {
		lines++
		for _, c := range []byte(line) {
			if strings.IndexByte("*_~[]`<!&\\@", c) >= 0 {
				marks++
			}
		}
		nested, indent := containers(line)
		if nested > mostNested || nested > 0 && indent > mostIndent {
			return true
		}
		if rule := strings.Trim(line, " \t\r\n>"); strings.Trim(rule, "|:- \t") == "" && strings.Contains(rule, "-") {
			columns = max(columns, strings.Count(rule, "|")+1)
		}
	}
	return marks > mostNesting || columns > 1 && columns*lines > mostCells
}

// containers counts the marks of quotes and lists at the beginning of a line, and the
// columns of space among them.
func containers(line string) (nested, indent int) {
	quotes := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\r' || c == '\n':
		case c == '>':
			nested++
			quotes++
		case c == ' ':
			indent++
		case c == '\t':
			indent += 4
		case c == '-' || c == '+' || c == '*' || c == '.' || c == ')':
			nested++
		case c < '0' || c > '9':
			return nested, indent
		}
	}
	return quotes, indent // the rest of it is a rule
}
