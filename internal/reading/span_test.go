package reading_test

import (
	"fmt"
	"testing"

	"parley"
	"parley/internal/contact"
	"parley/internal/reading"
)

// A conversation is read in pieces: the newest, what comes before and after a message,
// and around one, with what became of each.
func TestAPageOfAConversation(t *testing.T) {
	w := newTeam(t)
	if _, err := w.hub.Channels.Add(t.Context(), w.as("Ada"), "plans", "", []string{"Bob", "Joiner"}); err != nil {
		t.Fatal(err)
	}
	var ids []parley.MessageID
	for i := range 10 {
		text := fmt.Sprint("number ", i+1)
		if i == 6 {
			text = "@Joiner " + text
		}
		p, err := w.hub.Contacts.Post(t.Context(), w.as("Ada"), contact.Post{Channel: "plans", Message: text})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.Message)
	}
	elsewhere := w.delegate("Ada", "Joiner", "something else")
	plans := reading.Conversation{Channel: "plans", Limit: 4}
	for _, c := range []struct {
		name               string
		q                  reading.Span
		first, last, prior int
		later              bool
	}{
		{"the newest", reading.Span{}, 7, 10, 6, false},
		{"before one", reading.Span{Ahead: ids[6]}, 3, 6, 2, true},
		{"before one, up to the beginning", reading.Span{Ahead: ids[3]}, 1, 3, 0, true},
		{"up to one", reading.Span{Upto: ids[5]}, 3, 6, 2, true},
		{"up to one, above a number", reading.Span{Upto: ids[5], Above: 5}, 5, 6, 4, true},
		{"after one", reading.Span{After: ids[2]}, 4, 7, 3, true},
		{"after one near the end", reading.Span{After: ids[8]}, 10, 10, 9, false},
		{"around one", reading.Span{Around: ids[4]}, 4, 7, 3, true},
	} {
		c.q.Conversation = plans
		p, err := w.read.Page(t.Context(), w.as("Bob"), c.q)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Lines); n == 0 || p.Lines[0].N != c.first || p.Lines[n-1].N != c.last || p.Prior.N != c.prior || p.Later != c.later {
			t.Errorf("%s: %d lines, the first is %+v, before it %d, later %v", c.name, n, p.Lines[0], p.Prior.N, p.Later)
		}
	}
	p, err := w.read.Page(t.Context(), w.as("Bob"), reading.Span{Conversation: plans, After: ids[9], Again: []parley.MessageID{ids[6], elsewhere.Message, 1 << 40}})
	if err != nil || len(p.Lines) != 0 || len(p.Again) != 1 || len(p.Again[0].Started) != 1 || len(p.Members) != 3 {
		t.Errorf("read again: %v %+v", err, p)
	}
	if _, err := w.read.Page(t.Context(), w.as("Bob"), reading.Span{Conversation: plans, Ahead: elsewhere.Message}); parley.KindOf(err) != parley.NotFound {
		t.Errorf("a message of another conversation: %v", err)
	}
	if _, err := w.read.Page(t.Context(), w.as("Other"), reading.Span{Conversation: plans}); err == nil {
		t.Error("an agent reads a channel that it is not in")
	}
	speaking, err := w.read.Speaking(t.Context(), w.as("Bob"), p.Thread.ID, 5)
	if err != nil || len(speaking) != 1 || speaking[0].Request != ids[6] {
		t.Errorf("who works here: %v %+v", err, speaking)
	}
}

func TestNamesAreCompleted(t *testing.T) {
	w := newTeam(t)
	if _, err := w.hub.Channels.Add(t.Context(), w.as("Ada"), "plans", "What comes next", nil); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string][]string{"@o": {"@Other", "@Bob", "@Joiner"}, "@jo": {"@Joiner"}, "#pl": {"#plans"}, "@ada": nil, "@x": nil} {
		var got []string
		list, err := w.read.Complete(t.Context(), w.as("Ada"), word, 5)
		for _, a := range list {
			got = append(got, a.Name)
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v (%v)", word, got, want, err)
		}
	}
}
