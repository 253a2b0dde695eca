package slack_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/bridge"
	"parley/internal/bridge/slack"
	"parley/internal/bridge/slack/slacktest"
)

// faulty has the calls of a method fail in turn, each fault once.
func (w *world) faulty(method string, faults ...slacktest.Fault) {
	n := 0
	w.slack.Faults(func(called string, _ url.Values) slacktest.Fault {
		if called != method || n >= len(faults) {
			return slacktest.None
		}
		n++
		return faults[n-1]
	})
}

// once checks that the bot has posted each of these texts exactly once, in this order.
func (w *world) once(conversation string, texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		w.slack.Find(conversation, text)
	}
	w.slack.Look(func(v *slacktest.State) {
		var got []string
		for _, m := range v.Posts(conversation) {
			for _, text := range texts {
				if strings.Contains(m.Text, text) {
					got = append(got, text)
				}
			}
		}
		if strings.Join(got, "|") != strings.Join(texts, "|") {
			w.t.Errorf("posted %q, not %q", got, texts)
		}
	})
}

// A post whose outcome is not known is found by its key, and is there once whatever
// happened to the call.
func TestAPostIsThereOnceWhateverHappens(t *testing.T) {
	w := newWorld(t)
	w.slack.RetryAfter = 0
	w.run()
	w.link(ada)
	faults := []slacktest.Fault{slacktest.Unanswered, slacktest.Broken, slacktest.Fatal, slacktest.Unheard, slacktest.Limited, slacktest.None, slacktest.Unheard, slacktest.Unanswered}
	w.faulty("chat.postMessage", faults...)
	var texts []string
	for i := range 6 {
		texts = append(texts, fmt.Sprintf("Message %d.", i))
		w.notify("Helper", "Ada", texts[i])
	}
	w.once(w.dms[ada], texts...)
	// In a thread too.
	w.faulty("chat.postMessage", slacktest.Unanswered, slacktest.Unheard)
	w.say(ada, "Is it done?")
	w.once(w.dms[ada], "really")
	state, err := w.bridge().State(t.Context())
	if err != nil || state.Repeats != 0 || state.GivenUp != 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

// Slack's own pace is kept: a message a second in a conversation, and the pause that a
// refusal asks for.
func TestPostsKeepThePace(t *testing.T) {
	w := newWorld(t)
	w.slack.Pace = true
	w.run()
	w.link(ada)
	w.notify("Helper", "Ada", "One.")
	w.once(w.dms[ada], "One.")
	w.slack.Look(func(v *slacktest.State) {
		if v.Limited() == 0 || v.Limited() > 3 {
			t.Errorf("refused %d times", v.Limited())
		}
	})
	if l := w.program().Limits(); l.PerConversation < time.Second {
		t.Errorf("%+v", l)
	}
}

// What is said while nobody listens is read from the histories: in order, once, with
// threads and changes.
func TestAGapIsCaughtUp(t *testing.T) {
	w := newWorld(t)
	stop := w.run()
	w.link(ada)
	old := w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "before the gap"})
	w.slack.Taken()
	stop()
	w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "@Helper first"})
	changed := w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "@Helper second"})
	w.slack.Edit(w.dms[ada], changed, "@Helper second, better")
	w.slack.Delete(w.dms[ada], w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "@Helper never mind"}))
	for i := range 250 { // more than a page
		w.slack.Say(slacktest.Said{User: mallory, In: standup, Text: fmt.Sprint("chatter ", i)})
	}
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "said in the gap"})
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "answered in the gap", Thread: old})
	w.slack.Forget() // Slack has given up
	w.slack.RetryAfter = 0
	w.faulty("conversations.history", slacktest.Limited)
	w.run()
	w.say(ada, "@Helper third")
	w.slack.Taken()
	if got := w.tasks(); got != "delegate first; delegate second, better; delegate third" {
		t.Errorf("Helper has %q", got)
	}
	w.inStandup("before the gap|said in the gap|answered in the gap")
}

// Answers in a thread that began before the gap are found, if its first message is among
// the newest.
func TestThreadsAreCaughtUp(t *testing.T) {
	w := newWorld(t)
	stop := w.run()
	w.link(ada)
	first := w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "one"})
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "two"})
	w.slack.Taken()
	stop()
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "three", Thread: first})
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "four"})
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "five", Thread: first})
	w.slack.Forget()
	w.run()
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "six", Twice: true})
	w.slack.Taken()
	w.inStandup("one|two|three|four|five|six")
}

func (w *world) inStandup(want string) {
	w.t.Helper()
	said, err := w.hub.Reading.Read(w.t.Context(), w.as("Ada"), "standup", 0, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	var texts []string
	for _, m := range said.Messages {
		texts = append(texts, m.Body)
	}
	if got := strings.Join(texts, "|"); got != want {
		w.t.Errorf("the channel has %q, not %q", got, want)
	}
}

// When Slack asks for it, the next connection is there before the old one goes. Nothing
// is lost or heard twice over many of them, nor when connections just break.
func TestConnectionsAreMadeAnew(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	want, n := "", 0
	say := func() {
		n++
		w.slack.Say(slacktest.Said{User: ada, In: standup, Text: fmt.Sprint("m", n), Twice: n%3 == 0})
		want += fmt.Sprintf("|m%d", n)
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
	for range 3 {
		opened := 0
		w.slack.Look(func(v *slacktest.State) { opened = v.Opened() })
		say()
		w.slack.DropSockets()
		say()
		w.slack.Until("the next connection", func(v *slacktest.State) bool { return v.Opened() > opened })
		say()
	}
	w.slack.Taken()
	w.inStandup(want[1:])
}

// A connection that is silent for too long is given up.
func TestASilentConnectionIsGivenUp(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	p := slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: s.URL, Timing: slack.Timing{Idle: 20 * time.Millisecond}})
	if err := p.Receive(t.Context(), &inbox{}); err == nil || !strings.Contains(err.Error(), "was lost") {
		t.Errorf("%v", err)
	}
}

// inbox is one without a bridge.
type inbox struct {
	take func(bridge.Event) error
	mu   sync.Mutex
	got  []bridge.Event
}

func (i *inbox) Up(context.Context) {}
func (i *inbox) Take(_ context.Context, e bridge.Event) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.take != nil {
		if err := i.take(e); err != nil {
			return "", err
		}
	}
	i.got = append(i.got, e)
	return "", nil
}
func (i *inbox) Conversations(context.Context) ([]string, error)  { return nil, nil }
func (i *inbox) Position(context.Context, string) (string, error) { return "", nil }

// An event is acknowledged after it was stored, and not if that failed.
func TestAnEventIsAcknowledgedAfterItWasStored(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	s.Person(ada, "Ada")
	p := slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: s.URL})
	failed := errors.New("the disk is full")
	waiting := -1
	in := &inbox{take: func(bridge.Event) error {
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
	in.take = nil
	ctx, cancel := context.WithCancel(t.Context())
	done = run(ctx) // Slack sends it again
	s.Taken()
	cancel()
	<-done
	if len(in.got) != 1 || in.got[0].Text != "hello" || in.got[0].ID != "said/D0ADA/"+in.got[0].Message {
		t.Errorf("%+v", in.got)
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
		err := p.Receive(t.Context(), &inbox{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
	p := slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: s.URL})
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

// A long text is split, and a longer one attached: once, whatever happens to the calls.
// When it is redacted, the file goes too.
func TestLongTextsAreAttached(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	w.notify("Helper", "Ada", "Begin. "+strings.Repeat("A few words. ", 400)+"End.")
	w.once(w.dms[ada], "Begin.", "End.")
	for i, f := range []slacktest.Fault{slacktest.Unanswered, slacktest.Unheard} {
		w.faulty("files.completeUploadExternal", f)
		w.notify("Helper", "Ada", fmt.Sprintf("Long %d. ", i)+strings.Repeat("A secret & more. ", 2000))
		w.slack.Until("the file", func(v *slacktest.State) bool { return len(v.Files()) == i+1 })
	}
	w.notify("Helper", "Ada", "After.")
	w.once(w.dms[ada], "Long 0.", "Long 1.", "After.")
	var first parley.MessageID
	w.slack.Look(func(v *slacktest.State) {
		files := v.Files()
		if len(files) != 2 || !strings.HasPrefix(files[0].Text, "Long 0. A secret & more. A") {
			t.Fatalf("%d files", len(files))
		}
		if _, err := fmt.Sscanf(files[0].Name, "msg-%d.txt", &first); err != nil {
			t.Fatalf("%s: %v", files[0].Name, err)
		}
	})
	if _, err := w.hub.Redactions.Redact(t.Context(), w.as("Ada"), first, "it was a secret"); err != nil {
		t.Fatal(err)
	}
	w.slack.Until("one file", func(v *slacktest.State) bool { return len(v.Files()) == 1 })
	w.slack.Until("no first part", func(v *slacktest.State) bool { _, there := v.Post(w.dms[ada], "Long 0."); return !there })
}
