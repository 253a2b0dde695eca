package yamlfile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// shape writes a value and everything below it with its place.
func (v Value) shape() string {
	at := fmt.Sprintf("%d:%d/%d", v.line, v.column, v.keyColumn)
	switch {
	case v.Absent():
		return at + " absent"
	case v.IsMapping():
		entries, found := v.Entries("keys")
		parts := []string{fmt.Sprint(found)}
		for _, e := range entries {
			parts = append(parts, e.Key+" = "+e.shape())
		}
		return at + " {" + strings.Join(parts, "; ") + "}"
	case v.IsList():
		items, _ := v.Items()
		var parts []string
		for _, i := range items {
			parts = append(parts, i.Key+" "+i.shape())
		}
		return at + " [" + strings.Join(parts, "; ") + "]"
	}
	text, found := v.Text()
	scalar, wrong := v.Scalar()
	return fmt.Sprintf("%s %q %v %#v %v", at, text, found, scalar, wrong)
}

func checkPlain(t *testing.T, text string) (accepted bool) {
	t.Helper()
	v, ok := parsePlain(text)
	if !ok {
		return false
	}
	want, found := parseAny(text)
	if found != nil {
		t.Fatalf("%q was accepted, but the parser finds %v", text, found)
	}
	if v.shape() != want.shape() {
		t.Fatalf("%q\n is %s\nnot %s", text, v.shape(), want.shape())
	}
	return true
}

// The files that most agents are must not need the parser.
func TestPlainFilesAreReadWithoutTheParser(t *testing.T) {
	for _, text := range []string{
		"name: ann",
		"\ndescription: Looks after shard 1 of the archive, and answers; see http://example.org.\nmanager: agent-000100\nrole: archivist\n",
		"tools: Read, Grep\ncan_invoke: [ann, ben-2,cy]\n\nmodel: scripted:script.yaml\n",
		"can_invoke:\n  - ann\n  - Ben Stone\nmode: read\n",
		"description: Prüft Texte — auf Deutsch, what's more\n",
	} {
		if !checkPlain(t, text) {
			t.Errorf("%q is left to the parser", text)
		}
	}
}

// Whatever is not plain is left to the parser, which knows what it means.
func TestWhatIsNotPlainIsLeftToTheParser(t *testing.T) {
	for _, text := range []string{
		"", "\n", "a", "a:b", "a: 1", "a: true", "a: Yes", "a: null", "a:", "a:\nb: c", "a: b\na: c", "a: b: c", "a: b #c", "a: b\n  c", "a: 'b'", "a: |\n  b",
		"a: [b, 1]", "a: [b, [c]]", "a: []", "a: [b,]", "a: {b: c}", "a:\n- b", "a:\n  - b: c", "a:\n  - b\n   - c", "a:\n  b: c", "a: &b c", "a: *b", "a: b\t", "a:\tb",
		"true: b", "1: b", "a b: c", "---\na: b", "a: b\n---\nc: d", "a: b\n...\n", " a: b", "a: b:", "a: \u2028b", "a: b\ufeff", "a: b\u0085c",
	} {
		if _, ok := parsePlain(text); ok {
			t.Errorf("%q was taken for plain", text)
		}
	}
}

// Texts of pieces that mean much in YAML: what is accepted is what the parser reads.
func TestPlainTextsAreReadAsTheParserReadsThem(t *testing.T) {
	pieces := []string{"a", "b", "key", ": ", ":", " ", "  ", "\n", "\n", "- ", "\n  - ", "[", "]", ", ", ",", "'", "\"", "#", " #", "é", "true", "1", "{", "}", "|", ">", "&", "*", "!", "%", "@", "`", "?", "~", "\t", ".", "-", "_", "=", "<<", "…", "\\"}
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString([]string{"key: ", "key:", "other: a", "list:\n  - a", "list: [a", "words: b"}[r.IntN(6)])
			for range r.IntN(6) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			b.WriteString([]string{"\n", "", "\n\n"}[r.IntN(3)])
		}
		if checkPlain(t, b.String()) {
			accepted++
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d texts were plain", accepted)
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range []string{"a: b\n", "a: [b, c]\n", "a:\n  - b\n  - c d\n", "\na: b, c: d\n", "a: é\n\nb: c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPlain(t, text) })
}
