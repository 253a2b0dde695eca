package redaction

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// report is a text of many words, none of which says much by itself.
func report(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "Würfel%d ", i*i)
	}
	return strings.TrimSpace(b.String())
}

// Whatever part of a text is quoted, 200 characters are found and 199 are not.
func TestAnyPartOf200CharactersIsFound(t *testing.T) {
	text := []rune(report(200))
	s := newSecrets(string(text))
	for from := 0; from+quoteRunes <= len(text); from++ {
		for n, want := range map[int]string{quoteRunes: "Ann said: ⟦X⟧ and so on", quoteRunes - 1: ""} {
			part := string(text[from : from+n])
			quoted := "Ann said: ⟦" + part + "⟧ and so on"
			if want == "" {
				want = quoted
			}
			if got := s.scrub(quoted, "X"); got != want {
				t.Fatalf("%d characters from %d: %s", n, from, got)
			}
		}
	}
}

func TestPartsAreFoundInWhateverFormTheyAreQuoted(t *testing.T) {
	text := report(200)
	runes := []rune(text)
	s := newSecrets(text)
	first, second := string(runes[300:550]), string(runes[900:1200])
	wrapped := strings.ReplaceAll(first, " ", "\n    ")
	for _, c := range []struct{ name, text, want string }{
		{"two, with a word between", first + "–" + second, "X–X"},
		{"wrapped", "He said:\n" + wrapped + ".", "He said:\nX."},
		{"other words", report(20), report(20)},
		{"the beginning, and short ones", string(runes[:220]) + "\n\n" + string(runes[:150]), "X\n\n" + string(runes[:150])},
	} {
		if got := s.scrub(c.text, "X"); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
		document, err := json.Marshal(map[string]string{"text": c.text})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.quotes(fold(string(document), unescape)); got != (c.text != c.want) {
			t.Errorf("%s, in JSON: %v", c.name, got)
		}
	}
}

// What has hardly any words stands in many texts, and is no quotation.
func TestALineOfDashesIsNoQuotation(t *testing.T) {
	line := strings.Repeat("-", 500)
	if got := newSecrets("Secret "+line).scrub("Table "+line, "X"); got != "Table "+line {
		t.Error(got)
	}
	if newSecrets(strings.Repeat("x", quoteRunes-1)).parts != nil {
		t.Error("a short text has parts")
	}
}

// One pass is enough, however long and however repetitive both texts are.
func TestPartsOfALongTextAreFoundInOnePass(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	long := make([]rune, 256<<10)
	for i := range long {
		long[i] = rune('a' + random.IntN(26))
	}
	s := newSecrets(string(long))
	if got := s.scrub("«"+string(long[200_123:200_400])+"»", "X"); got != "«X»" {
		t.Errorf("%.80s", got)
	}
	again := strings.Repeat("the same words over and over ", 10_000)
	if got := newSecrets(again).scrub(again[5:200_000]+"!", "X"); !strings.HasSuffix(got, "X!") || len(got) > 10 {
		t.Errorf("%d bytes: %.80s", len(got), got)
	}
}
