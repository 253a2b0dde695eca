package slack_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/slack/slacktest"
)

// Posts go into the thread of what they answer. Threads have no threads, and what was
// deleted has none.
func TestPostsFindTheirThread(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	s.Invite(standup)
	post := func(key, thread, answers string) string {
		t.Helper()
		p := program(s) // it remembers nothing
		made := bridge.Post{Key: key, To: bridge.Place{Conversation: standup, Thread: thread}, ReplyTo: answers, Text: key, Tried: time.Now()}
		id, err := p.Post(t.Context(), made)
		if err != nil {
			t.Fatal(err)
		}
		found := (*bridge.Found)(nil)
		if _, err := p.Settle(t.Context(), made); !errors.As(err, &found) || found.ID != id {
			t.Errorf("%s is not found: %v", key, err)
		}
		return id
	}
	first := post("first", "", "")
	second := post("second", "", first)
	post("third", "", second)
	post("fourth", first, "")
	post("fifth", "", "1700000000.000001")
	post("sixth", "1700000000.000001", "")
	post("seventh", "", "command/1.2") // of a slash command
	s.Look(func(v *slacktest.State) {
		var got []string
		for _, m := range v.Posts(standup) {
			got = append(got, m.Text+strings.Map(func(r rune) rune { return map[bool]rune{true: '!', false: -1}[m.ThreadTS == first && r == '.'] }, m.ThreadTS))
		}
		if text := strings.Join(got, " "); text != "first! second! third! fourth! fifth sixth seventh" {
			t.Error(text)
		}
		if len(v.Problems()) > 0 {
			t.Error(v.Problems())
		}
	})
}

// A post that is not in the history is posted again, but not while it may be on its way.
func TestAPostThatIsNotThere(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	s.Invite(standup)
	p := program(s)
	post := bridge.Post{Key: "k", To: bridge.Place{Conversation: standup}, Text: "hello", Tried: time.Now().Add(time.Hour)} // the clocks differ
	early := (*bridge.Failure)(nil)
	if _, err := p.Settle(t.Context(), post); !errors.As(err, &early) || early.Refused || early.After <= 0 || early.After > 3*time.Second {
		t.Errorf("%v", err)
	}
	post.Tried = time.Now().Add(-time.Minute)
	if got, err := p.Settle(t.Context(), post); got != bridge.Absent || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	post.To.Conversation = "C0AWAY" // trying it says why not
	if got, err := p.Settle(t.Context(), post); got != bridge.Absent || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// If the app may not attach files, the post says so.
func TestAFileThatCannotBeAttached(t *testing.T) {
	w := newWorld(t)
	w.slack.Scopes = strings.ReplaceAll(slacktest.Scopes, "files:write,", "")
	w.Linked(Ada)
	w.Notify(Ada, "Long. "+strings.Repeat("A few words. ", 2000))
	w.Find(Ada, "The whole text could not be attached here.", "needs the scope files:write")
	w.Notify(Ada, "After.")
	w.Once(Ada, "Long.", "could not be attached", "After.")
}
