package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// spell writes the words of a text, with a + before a whole identifier.
func spell(text string) string {
	var list []string
	for _, t := range tokens(text) {
		word := t.word
		if t.whole {
			word = "+" + word
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"... ?! —", ""},
		{"The builds failed, building fails.", "the build fail build fail"},
		{"auth?", "auth"},
		{"user_id userId UserID user-id", "user id +userid user id +userid user id +userid user id +userid"},
		{"HTTPServer", "http server +httpserver"},
		{"internal/store/sqlite.go", "intern store sqlite go +internalstoresqlitego"},
		{"sha256 v1.2.3 3.5", "sha256 v1 2 3 +v123 3 5 +35"},
		{"don't the team's teams'", "dont the team team"},
		{"don’t", "dont"},
		{"Café CAFÉ café naïve straße", "caf caf caf naiv strass"},
		{"cafe\u0301 nai\u0308ve", "cafe naiv"}, // the accent is a combining character
		{"日本語 text", "日 本 語 +日本語 text"},
		{"sign-in signin", "sign in +signin signin"},
		{"ends. Begins", "end begin"},
		{"__init__ --flag", "init flag"},
		{"@12 >12 #5 *", "12 12 5"},
		{"a\x00b\xffc", "a b c"},
	} {
		if got := spell(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// No text can produce a word that looks like a mark.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"The user_id of parseHTTP2Query", "don't @a#b", "日本語", strings.Repeat("x", 200), "a\u0301\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, tok := range tokens(text) {
			if tok.word == "" || len(tok.word) > maxWordBytes || !utf8.ValidString(tok.word) {
				t.Fatalf("the word %q of %q", tok.word, text)
			}
			if first, _ := utf8.DecodeRuneInString(tok.word); !wordRune(first) {
				t.Fatalf("%q of %q could be a mark", tok.word, text)
			}
			if tok.from < 0 || tok.to > len(text) || tok.from >= tok.to || tok.at > at+1 {
				t.Fatalf("the place of %+v", tok)
			}
			if !tok.whole {
				at = tok.at
			}
		}
	})
}
