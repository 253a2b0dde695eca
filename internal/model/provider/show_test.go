package provider

import (
	"strings"
	"testing"

	"parley/internal/model"
)

// What is shown of a reply in the making must not hold a key that a provider
// echoes, wherever the pieces are cut.
func TestAnEchoedKeyIsNotShownInPieces(t *testing.T) {
	const key, reply = "sk-ss-4711", "Your key sk-ss-4711 is bad, not sk-ss-47"
	const want = "Your key [key] is bad, not sk-ss-47"
	for size := 1; size <= len(reply); size++ {
		var shown strings.Builder
		s := show{key: key, to: func(d model.Delta) { shown.WriteString(d.Text) }}
		for rest := reply; rest != ""; {
			n := min(size, len(rest))
			s.text(rest[:n])
			rest = rest[n:]
		}
		s.end()
		if shown.String() != want {
			t.Errorf("in pieces of %d: %q", size, shown.String())
		}
	}
}

// What was held back of a reply that broke off, since it might be the key, is gone
// with it.
func TestWhatWasHeldBackGoesWithItsReply(t *testing.T) {
	var got []model.Delta
	s := show{to: func(d model.Delta) { got = append(got, d) }, key: "sk-secret"}
	s.text("I think sk-se")
	s.restart()
	s.text("Yes.")
	s.end()
	want := []model.Delta{{Text: "I think "}, {Restart: true}, {Text: "Yes."}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("shown: %+v", got)
	}
}
