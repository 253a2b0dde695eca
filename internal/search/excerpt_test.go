package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// mark writes an excerpt with the matches in brackets.
func mark(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Found {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestExcerpt(t *testing.T) {
	filler := strings.Repeat("nothing to see here ", 30)
	for _, c := range []struct{ text, query, want string }{
		{"The parser\nfails.", "parsers", "The [parser] fails."},
		{"user_id is missing", "user_id", "[user]_[id] is missing"},
		{"short", "other", "short"},
		{"the parser " + filler + "the parser crashes " + filler, "parser crash",
			"… here nothing to see here the [parser] [crashes] nothing"},
		{strings.Repeat("é", 400), "zebra", strings.Repeat("é", 120) + " …"},
		{strings.Repeat("é", 400) + " zebra", "zebra", "… [zebra]"},
	} {
		r, _ := parse(c.query, true).match(Document{Text: c.text}, tokens(c.text))
		got := mark(Hit{Document: r.doc, Spans: r.spans}.Excerpt())
		if !strings.HasPrefix(got, c.want) || len(got) > excerptBytes+40 {
			t.Errorf("%q in %.40q: %q", c.query, c.text, got)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("The parser fails "+strings.Repeat("é", 200), "parser")
	f.Fuzz(func(t *testing.T, text, query string) {
		r, _ := parse(query, false).match(Document{Text: text}, tokens(text))
		shown := mark(Hit{Document: r.doc, Spans: r.spans}.Excerpt())
		if utf8.ValidString(text) && !utf8.ValidString(shown) {
			t.Errorf("%q of %q", shown, text)
		}
	})
}
