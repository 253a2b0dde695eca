package slack_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/slack"
	"parley/internal/bridge/slack/slacktest"
)

// Slack's own pace is kept: a message a second in a conversation, and the pause that a
// refusal asks for.
func TestPostsKeepThePace(t *testing.T) {
	w := newWorld(t)
	w.slack.Pace, w.slack.RetryAfter = true, 1
	w.Linked(Ada)
	w.Notify(Ada, "One.")
	w.Once(Ada, "One.")
	w.slack.Look(func(v *slacktest.State) {
		if v.Limited() == 0 || v.Limited() > 3 {
			t.Errorf("refused %d times", v.Limited())
		}
	})
	if l := program(w.slack).Limits(); l.PerConversation < time.Second {
		t.Errorf("%+v", l)
	}
}

// What is said while nobody listens is read from the histories: in order, once, with
// threads and changes.
func TestAGapIsCaughtUp(t *testing.T) {
	w := newWorld(t)
	stop := w.Linked(Ada)
	old := w.SayAll(Ada, "before the gap")
	w.slack.Taken()
	stop()
	w.Say(Ada, "@Helper first")
	w.Chat.Edit(Ada, Ada, w.Say(Ada, "@Helper second"), "@Helper second, better")
	w.Chat.(bridgetest.Deleter).Delete(Ada, w.Say(Ada, "@Helper never mind"))
	for i := range 250 { // more than a page
		w.SayAll(Mallory, fmt.Sprint("chatter ", i))
	}
	w.SayAll(Ada, "said in the gap")
	w.Chat.Say(bridgetest.Said{Who: Ada, In: Standup, Text: "answered in the gap", Thread: old})
	w.slack.Forget() // Slack has given up
	limited := false
	w.slack.Faults(func(called string, _ url.Values) slacktest.Fault {
		if called == "conversations.history" && !limited {
			limited = true
			return slacktest.Limited
		}
		return slacktest.None
	})
	w.Run()
	w.Say(Ada, "@Helper third")
	w.slack.Taken()
	w.Tasks("delegate first; delegate second, better; delegate third")
	w.SaidOnce("before the gap", "said in the gap", "answered in the gap")
}

// Answers in a thread that began before the gap are found, if its first message is among
// the newest.
func TestThreadsAreCaughtUp(t *testing.T) {
	w := newWorld(t)
	stop := w.Linked(Ada)
	first := w.SayAll(Ada, "one")
	w.SayAll(Ada, "two")
	w.slack.Taken()
	stop()
	w.Chat.Say(bridgetest.Said{Who: Ada, In: Standup, Text: "three", Thread: first})
	w.SayAll(Ada, "four")
	w.Chat.Say(bridgetest.Said{Who: Ada, In: Standup, Text: "five", Thread: first})
	w.slack.Forget()
	w.Run()
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "six", Twice: true})
	w.slack.Taken()
	w.SaidOnce("one", "two", "three", "four", "five", "six")
}

// When Slack asks for it, the next connection is there before the old one goes. Nothing
// is lost or heard twice over many of them.
func TestConnectionsAreMadeAnew(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	var want []string
	say := func() {
		want = append(want, fmt.Sprint("m", len(want)))
		w.slack.Say(slacktest.Said{User: ada, In: standup, Text: want[len(want)-1], Twice: len(want)%3 == 0})
	}
	for _, reason := range []string{"warning", "refresh_requested", "warning"} {
		opened := 0
		w.slack.Look(func(v *slacktest.State) { opened = v.Opened() })
		say()
		w.slack.Disconnect(reason)
		say() // no connection takes it yet
		w.slack.Until("the next connection", func(v *slacktest.State) bool { return v.Opened() > opened && v.Sockets() >= 2 })
		say()
		w.slack.Hangup()
		say()
	}
	w.slack.Taken()
	w.SaidOnce(want...)
}

// A connection that is silent for too long is given up.
func TestASilentConnectionIsGivenUp(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	p := slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: s.URL, Timing: slack.Timing{Idle: 20 * time.Millisecond}})
	if err := p.Receive(t.Context(), &bridgetest.Inbox{}); err == nil || !strings.Contains(err.Error(), "was lost") {
		t.Errorf("%v", err)
	}
}

// An event is acknowledged after it was stored, and not if that failed.
func TestAnEventIsAcknowledgedAfterItWasStored(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	s.Person(ada, "Ada")
	p := program(s)
	failed := errors.New("the disk is full")
	waiting := -1
	in := &bridgetest.Inbox{OnTake: func(bridge.Event) error {
		s.Look(func(v *slacktest.State) { waiting = v.Unacknowledged() })
		return failed
	}}
	run := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		opened := 0
		s.Look(func(v *slacktest.State) { opened = v.Opened() })
		go func() { done <- p.Receive(ctx, in) }()
		s.Until("a connection", func(v *slacktest.State) bool { return v.Opened() > opened })
		return done
	}
	done := run(t.Context())
	s.Say(slacktest.Said{User: ada, In: "D0ADA", Text: "hello"})
	if err := <-done; !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	s.Look(func(v *slacktest.State) {
		if waiting != 1 || v.Unacknowledged() != 1 {
			t.Errorf("%d envelopes waited during Take, and %d after it", waiting, v.Unacknowledged())
		}
	})
	in.OnTake = nil
	ctx, cancel := context.WithCancel(t.Context())
	done = run(ctx) // Slack sends it again
	s.Taken()
	cancel()
	<-done
	if len(in.Got()) != 1 || in.Got()[0].Text != "hello" || in.Got()[0].ID != "said/D0ADA/"+in.Got()[0].Message {
		t.Errorf("%+v", in.Got())
	}
}

// What Slack says of itself is passed on in words, without a token.
func TestErrorsSayWhatToDo(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	for _, c := range []struct {
		app, bot, scopes, want string
	}{
		{slacktest.AppToken, "xoxb-wrong", slacktest.Scopes, "invalid_auth, check the tokens"},
		{"xapp-wrong", slacktest.BotToken, slacktest.Scopes, "apps.connections.open: invalid_auth"},
	} {
		p := slack.New(slack.Config{AppToken: c.app, BotToken: c.bot, API: s.URL})
		err := p.Receive(t.Context(), &bridgetest.Inbox{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
	p := program(s)
	_, err := p.Post(t.Context(), bridge.Post{Key: "k", To: bridge.Place{Conversation: "C0AWAY"}, Text: "hello"})
	if f := (*bridge.Failure)(nil); !errors.As(err, &f) || !f.Refused || !strings.Contains(f.Reason, "invite it") {
		t.Errorf("%v", err)
	}
	p = slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: "http://127.0.0.1:1/"})
	_, err = p.Post(t.Context(), bridge.Post{Key: "k", To: bridge.Place{Conversation: "C0AWAY"}, Text: "hello"})
	if f := (*bridge.Failure)(nil); !errors.As(err, &f) || f.Refused || strings.Contains(f.Reason, "127") {
		t.Errorf("%v", err)
	}
}
