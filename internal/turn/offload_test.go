package turn

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
)

// talk is a conversation of so many messages before the request, each of 104 tokens.
func talk(n int) (r model.Request, from []source) {
	for i := range n {
		r.Messages = append(r.Messages, model.Message{Role: model.User, Text: strings.Repeat("word ", 66) + "a"})
		from = append(from, source{kind: beforeRequest, stored: &letter{Message: parley.Message{ID: parley.MessageID(i + 1)}}})
	}
	r.Messages = append(r.Messages, model.Message{Role: model.User, Text: "Go on."})
	return r, append(from, source{kind: theRequest})
}

// Past 80 % of the window a conversation is brought down to 50 %, but a keeper has at
// least eight messages.
func TestAConversationIsBroughtDownToHalfOfTheWindow(t *testing.T) {
	for _, c := range []struct{ messages, window, want int }{
		{30, 4000, 0},  // 78 %
		{31, 4000, 12}, // 80.6 %, then 49.4 %
		{35, 4000, 16}, // 91 %
		{12, 1500, 8},  // of which five would do
		{300, 4000, 281},
	} {
		r, from := talk(c.messages)
		if got := len(chooseOffload(r, from, bounded{c.window, 0}, nil)); got != c.want {
			t.Errorf("%d messages in %d tokens: %d are put away, want %d", c.messages, c.window, got, c.want)
		}
	}
}

// Few long messages stay as long as they fit, and go in a smaller keeper when they do
// not.
func TestTooFewMessagesStayWhileTheyFit(t *testing.T) {
	r, from := talk(5)
	if got := chooseOffload(r, from, bounded{600, 0}, nil); len(got) != 0 {
		t.Errorf("88 %% of the window: %v are put away", got)
	}
	if got := chooseOffload(r, from, bounded{540, 0}, nil); len(got) != 5 {
		t.Errorf("98 %% of the window: %v are put away", got)
	}
}
