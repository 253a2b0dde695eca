package contact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnExcerptFitsTheLimitAndKeepsCharactersWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		whole string
		limit int
	}{
		{"letters", strings.Repeat("a", 10_000), 9_000},
		{"a small limit", strings.Repeat("a", 1_000), 200},
		{"a limit smaller than the note", strings.Repeat("a", 1_000), 10},
		{"umlauts", strings.Repeat("ä", 5_000), 4_200},
		{"umlauts, one byte on", "a" + strings.Repeat("ä", 5_000), 4_200},
		{"wide characters", strings.Repeat("𝄞", 2_000), 4_201},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := excerpt(c.whole, c.limit, 7)
			beginning, note, ok := strings.Cut(got, "\n\n[This is the beginning of a text of ")
			if !ok || !strings.HasPrefix(c.whole, beginning) || !utf8.ValidString(got) {
				t.Fatalf("%.60q … %q", got, note)
			}
			if !strings.HasSuffix(note, "attached to the reply of task-7.]") {
				t.Errorf("the note is %q", note)
			}
			if beginning != "" && len(got) > c.limit {
				t.Errorf("%d bytes, the limit is %d", len(got), c.limit)
			}
			if len(beginning) > excerptBytes {
				t.Errorf("%d bytes of the beginning", len(beginning))
			}
		})
	}
}

func TestWhatAModelSaysCanBeStored(t *testing.T) {
	if got := clean("a\x00b\xffc"); got != "a\uFFFDb\uFFFDc" {
		t.Errorf("%q", got)
	}
}
