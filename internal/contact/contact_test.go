package contact

import (
	"strings"
	"testing"

	"parley"
)

func TestATextThatCannotBeKeptIsRefusedForWhatItIs(t *testing.T) {
	for text, want := range map[string]string{
		"bad\xff":    "not valid UTF-8",
		"\xff\x00":   "not valid UTF-8",
		"before\x00": "a NUL character",
	} {
		if err := checkText(text); parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "Grüße, 世界 𝄞", "\uFFFD", "a\tb\r\n\x1b"} {
		if err := checkText(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
