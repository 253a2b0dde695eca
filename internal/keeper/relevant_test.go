package keeper

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/search"
)

// The index offers every message that has one word of the question. Those that only
// happen to have it are not shown, and neither is the question itself.
func TestWhatIsRelevantToAQuestion(t *testing.T) {
	const question = "Which port does the billing database use in production?"
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"what answers it", "The billing database listens on port 5433, in production and elsewhere.", true},
		{"in other forms", "Ports of the billing databases: 5433.", true},
		{"a word of it", "The database of recipes is on the kitchen shelf.", false},
		{"two words of it", "The mail service is in production, on a new port of call.", false},
		{"nothing of it", "The cafeteria closes at five.", false},
		{"the question", "Which port does the billing database use in production?", false},
		{"under its header", "[Query from Ann | ID: query-3]\nWhich port does the billing database use in production?", false},
		{"with its context", "[Query from Ann | ID: query-3]\nWhich port does the billing database use in production?\n\nContext from Ann: I move the firewall.", false},
		{"in nearly the same words", "[Agent Request from Ann | Pattern: ask]\n\nWhich port does the billing database use in production today?", false},
		{"the call that asked it", `peer_ask_question {"question":"Which port does the billing database use in production?"}`, false},
	} {
		list := []found{kept(1, "user", c.text), kept(2, "user", "The port of Rotterdam is large."), kept(3, "user", "The mail service is in production.")}
		got := len(relevant(question, list)) == 1
		if got != c.want {
			t.Errorf("%s: shown is %v: %q", c.name, got, c.text)
		}
	}
}

// What the index finds in another form counts as a word of the question.
func TestOtherFormsOfAWordCount(t *testing.T) {
	text := "Mice ate the cabling."
	at := func(word string) search.Span {
		i := strings.Index(text, word)
		return search.Span{From: i, To: i + len(word)}
	}
	f := found{KeptMessage: parley.KeptMessage{Text: text}}
	if got := relevant("Did a mouse damage the cables?", []found{f}); len(got) != 0 {
		t.Errorf("one word of three is enough: %v", got)
	}
	f.spans = []search.Span{at("Mice"), at("cabling")}
	if got := relevant("Did a mouse damage the cables?", []found{f}); len(got) != 1 {
		t.Error("what the index found does not count")
	}
}
