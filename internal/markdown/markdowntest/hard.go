// Package markdowntest has texts against which whoever reads Markdown is tried.
package markdowntest

import "strings"

// Hard are texts that take a reader of Markdown long, or make much of little.
var Hard = map[string]string{
	"a wide and long table": "|" + strings.Repeat("a|", 8000) + "\n|" + strings.Repeat("-|", 8000) + "\n" + strings.Repeat("|a\n", 5000),
	"a table in a quote":    "> |" + strings.Repeat("a|", 8000) + "\n> |" + strings.Repeat("-|", 8000) + "\n" + strings.Repeat("> |a\n", 5000),
	"a table of few marks":  "|" + strings.Repeat("a|", 400) + "\n|" + strings.Repeat("-|", 400) + "\n" + strings.Repeat("x\n", 5000),
	"empty quotes":          strings.Repeat(">", 10_000),
	"quotes":                strings.Repeat("> ", 10_000) + "x",
	"lists":                 strings.Repeat("- ", 10_000) + "x",
	"numbered lists":        strings.Repeat("1. ", 10_000) + "x",
	"emphasis":              strings.Repeat("*", 10_000) + "x" + strings.Repeat("*", 10_000),
	"less emphasis":         strings.Repeat("*", 600) + "x" + strings.Repeat("*", 600),
	"brackets":              strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	"steps":                 steps(300),
}

func steps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "- x\n")
	}
	return b.String()
}
