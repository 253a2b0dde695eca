package slack_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge"
	"parley/internal/bridge/slack/slacktest"
)

// An account is one of a workspace: another one may have the same number, and is a stranger.
func TestAnAccountHasItsWorkspace(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	for _, text := range []string{"/pause", "@Helper hello", "@Bot hello"} {
		w.slack.Say(slacktest.Said{User: ada, In: standup, Text: text, Team: "T0OTHER"})
	}
	w.slack.Taken()
	w.Find(Standup, "Hello! I only talk")
	w.Paused(0)
	w.Tasks("")
	if list := w.Events(parley.EventChatStranger); len(list) != 1 || len(w.Posts(Standup)) != 1 {
		t.Errorf("%+v, %+v", list, w.Posts(Standup))
	}
}

// Where the app may not choose names, a post says whose it is in a line that only the bridge
// can write.
func TestPostsWithoutNames(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	s.Scopes = strings.ReplaceAll(slacktest.Scopes, "chat:write.customize,", "")
	s.Invite(standup)
	p := program(s)
	for i, kind := range []bridge.AuthorKind{bridge.ByAgent, bridge.ByPerson, bridge.ByHub} {
		if _, err := p.Post(t.Context(), bridge.Post{Key: fmt.Sprint("k", i), To: bridge.Place{Conversation: standup}, From: bridge.Author{Name: "A & B", Kind: kind}, Text: "hello"}); err != nil {
			t.Error(err)
		}
	}
	s.Look(func(v *slacktest.State) {
		got := ""
		for _, m := range v.Posts(standup) {
			got += m.Username + m.Text + "|"
		}
		if got != "🤖 *A &amp; B*\nhello|👤 *A &amp; B*\nhello|hello|" {
			t.Errorf("%q", got)
		}
	})
}

// What comes from Slack is words: no name that somebody chose calls an agent.
func TestNamesAreOnlySaid(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	for _, text := range []string{"<@U0MALLORY|Bot> hello", "<@U0MALLORY> hello", "<!subteam^S1|@Bot> hello", "<#C1|@Bot> hello", "<https://evil.example|@\u200bBot> x", "<!date^1^x|@Bot>", "<@Bot> hello", "<@B0|@Bot>"} {
		w.SayAll(Ada, text)
	}
	w.SayAll(Ada, "1 &lt; 2 &amp;amp; <https://a.example/?x=1&amp;y=2|a.example/?x=1&amp;y=2> <mailto:x@y.example|x@y.example> <https://b.example|label>")
	w.slack.Taken()
	said := w.Said(Standup)
	if last := said[len(said)-1]; last != "1 < 2 &amp; https://a.example/?x=1&y=2 x@y.example label (https://b.example)" {
		t.Errorf("%q", last)
	}
	if posts := w.Posts(Standup); len(posts) != 0 {
		t.Errorf("%d were answered, the first is %+v", len(posts), posts[0])
	}
}
