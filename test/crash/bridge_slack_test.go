package crash

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/api"
	"parley/internal/bridge/slack/slacktest"
)

// While a hub is killed again and again, at any time and in the middle of a post, everything
// that is said in Slack is said in the channel once, and everything that is said in the
// channel is posted in Slack once.
func TestABridgeToSlackIsKilled(t *testing.T) {
	g := newGround(t)
	random, _ := newRandom(t)
	slack := slacktest.New()
	t.Cleanup(slack.Close)
	dm := slack.Person("U0PAT", person)
	slack.Invite(floor)
	p := g.place("slack", team{settings: fmt.Sprintf("bridges:\n  slack:\n    api: %s\n    channels: {floor: %s}\n", slack.URL, floor)})
	p.environment = []string{"SLACK_APP_TOKEN=" + slacktest.AppToken, "SLACK_BOT_TOKEN=" + slacktest.BotToken}
	h := g.start(p)
	hub := h.waitUp()
	code, err := hub.LinkAccount(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	slack.Until("a connection", func(v *slacktest.State) bool { return v.Sockets() > 0 })
	slack.Say(slacktest.Said{User: "U0PAT", In: dm, Text: code.Code})
	slack.Find(dm, "You are "+person+" here now.")

	rounds := int(number(t, killsEnv, 3))
	for i := range rounds {
		struck := strikeAt(slack, i)
		for n := range 3 {
			slack.Say(slacktest.Said{User: "U0PAT", In: floor, Text: fmt.Sprintf("said %d.%d in the chat", i, n), Twice: n == 1})
		}
		insist(t, hub, api.PostRequest{Channel: "floor", Message: fmt.Sprintf("said %d in the hub", i), Key: fmt.Sprint("post-", i)})
		if struck != nil {
			<-struck
		} else {
			<-time.After(time.Duration(random.IntN(300)) * time.Millisecond) // whenever
		}
		h.kill()
		h = g.start(p)
		hub = h.waitUp()
	}
	slack.Taken()
	for i := range rounds { // one a second
		slack.Find(floor, fmt.Sprintf("said %d in the hub", i))
	}
	said, err := hub.ReadChannel(t.Context(), "floor", 1000)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range said {
		count[m.Body]++
	}
	compareSlack(t, slack, rounds, count)
}

// floor is a channel in Slack.
const floor = "C0FLOOR"

// strikeAt says when the hub is to be killed in a round: at any time if it returns nil, or in
// the middle of a post, which was made and not answered or not made.
func strikeAt(slack *slacktest.Server, round int) chan struct{} {
	fault := []slacktest.Fault{slacktest.None, slacktest.Unanswered, slacktest.Unheard}[round%3]
	if fault == slacktest.None {
		slack.Faults(nil)
		return nil
	}
	struck := make(chan struct{}, 1)
	slack.Faults(func(method string, _ url.Values) slacktest.Fault {
		if method != "chat.postMessage" {
			return slacktest.None
		}
		now := fault
		if fault != slacktest.None {
			fault = slacktest.None
			struck <- struct{}{}
		}
		return now
	})
	return struck
}

// compareSlack compares what was said with what there is. count is how often each text is in
// the channel.
func compareSlack(t *testing.T, slack *slacktest.Server, rounds int, count map[string]int) {
	slack.Look(func(v *slacktest.State) {
		for _, m := range v.Posts(floor) {
			count["posted "+m.Text]++
			if strings.Contains(m.Text, "perhaps a repeat") {
				t.Errorf("posted as perhaps a repeat: %q", m.Text)
			}
		}
		for _, p := range v.Problems() {
			t.Error(p)
		}
		t.Logf("%d kills, %d connections, %d posts, %d lookups", rounds, v.Opened(), v.Calls("chat.postMessage"), v.Calls("conversations.history"))
	})
	compareChat(t, rounds, count)
}
