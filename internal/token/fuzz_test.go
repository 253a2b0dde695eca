package token_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/token"
)

// Only the text that was issued opens anything. A label never shows a token and stays on
// its line.
func FuzzToken(f *testing.F) {
	st, _, ada := open(f)
	mine, err := token.Issue(f.Context(), st, ada.ID)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "parley_", mine, mine + " ", strings.ToUpper(mine), mine[:len(mine)-1], token.Hash(mine), token.New(), "parley_" + strings.Repeat("\x00", 43), "laptop", "a\nb", "\x1b[1m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		use, err := token.Look(t.Context(), st, text)
		switch {
		case text == mine && (err != nil || use.Owner.ID != ada.ID):
			t.Fatalf("the token itself: %+v, %v", use, err)
		case text != mine && (parley.KindOf(err) != parley.Unauthentic || use != token.Use{}):
			t.Fatalf("%q: %+v, %v", text, use, err)
		}
		if token.CheckLabel(text) == nil && (strings.Contains(text, token.Prefix) || strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text)) {
			t.Fatalf("%q is a label", text)
		}
	})
}
