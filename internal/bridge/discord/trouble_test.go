package discord_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bridge"
	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/discord"
	"parley/internal/bridge/discord/discordtest"
)

// A post of unknown outcome is settled by its nonce while that counts, and later found in
// the history, whether or not Discord keeps nonces there. What is not there is posted.
func TestAPostOfUnknownOutcomeIsSettled(t *testing.T) {
	s := discordtest.New()
	defer s.Close()
	s.Channel(standup, "standup")
	p := program(s, discord.Timing{})
	tried := time.Now()
	approve := []bridge.Button{{Label: "Approve", Data: "approve x y"}}
	post := func(key, text string, buttons []bridge.Button) bridge.Post {
		return bridge.Post{Key: key, To: bridge.Place{Conversation: standup}, From: bridge.Author{Name: "Helper", Kind: bridge.ByAgent}, Text: text, Buttons: buttons, Tried: tried}
	}
	settle := func(p *discord.Program, q bridge.Post) (bridge.Settled, string) {
		t.Helper()
		got, err := p.Settle(t.Context(), q)
		found := (*bridge.Found)(nil)
		if errors.As(err, &found) {
			return bridge.Unknown, found.ID
		}
		if err != nil {
			t.Fatal(err)
		}
		return got, ""
	}
	// Soon after: the same nonce makes no second one, and what there is says what it should.
	q := post("k1", "hello", approve)
	if got, id := settle(p, q); got != bridge.Harmless || id != "" {
		t.Errorf("%v, %s", got, id)
	}
	first, err := p.Post(t.Context(), q)
	again, err2 := p.Post(t.Context(), post("k1", "hello, decided", nil))
	if err != nil || err2 != nil || first != again {
		t.Errorf("%s and %s, %v, %v", first, again, err, err2)
	}
	if m := s.Find(standup, "hello, decided"); len(m.Buttons()) != 0 || m.ID != first {
		t.Errorf("%+v", m)
	}
	// Later, and by another hub: in the history.
	for _, q := range []bridge.Post{post("k2", "with buttons", approve), post("k3", "plain", nil)} {
		id, err := p.Post(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []bool{true, false} {
			s.Keep = keep
			if q.Buttons != nil {
				q.Text = "with buttons, and changed since"
			}
			late := program(s, discord.Timing{Window: time.Nanosecond})
			if got, found := settle(late, q); found != id {
				t.Errorf("%s is %v %s", q.Key, got, found)
			}
		}
	}
	late := program(s, discord.Timing{Window: time.Nanosecond})
	for _, q := range []bridge.Post{post("k4", "never", nil), post("k5", "with buttons", approve), post("k6", "decided", nil)} {
		if got, id := settle(late, q); got != bridge.Absent {
			t.Errorf("%s is %v %s", q.Key, got, id)
		}
	}
	// What somebody else said is not the post, nor an older one with the same words.
	s.Person(ada, "Ada")
	s.Say(discordtest.Said{User: ada, In: standup, Text: "🤖 **Helper**\nnever"})
	q = post("k7", "plain", nil)
	q.Tried = time.Now().Add(time.Hour)
	if got, id := settle(late, q); got != bridge.Absent {
		t.Errorf("%v %s", got, id)
	}
	// Nor one that is another post, whatever it says.
	q = post("k8", "plain", nil)
	q.Known = func(context.Context, string) (bool, error) { return true, nil }
	if got, id := settle(late, q); got != bridge.Absent {
		t.Errorf("%v %s", got, id)
	}
	unread := errors.New("the store cannot be read")
	q.Known = func(context.Context, string) (bool, error) { return false, unread }
	if _, err := late.Settle(t.Context(), q); !errors.Is(err, unread) {
		t.Error(err)
	}
	s.Look(func(v *discordtest.State) {
		if list := v.Problems(); len(list) != 0 {
			t.Error(list)
		}
	})
}

// A post of unknown outcome is not taken for the one before it, which has the same words.
func TestTheSameWordsAreTwoPosts(t *testing.T) {
	w := newWorld(t)
	w.During(w.BridgeOf(program(w.discord, discord.Timing{Window: time.Nanosecond})).Run)
	w.discord.Until("a session", func(v *discordtest.State) bool { return v.Opened() > 0 })
	w.Say(Ada, w.Code(Ada))
	w.Find(Ada, "You are Ada here now.")
	w.Notify(Ada, "Done.")
	w.Find(Ada, "Done.")
	faulty(w.discord, "POST", discordtest.Unheard)
	w.Notify(Ada, "Done.")
	w.Notify(Ada, "the end")
	w.Find(Ada, "the end")
	if posts := w.Posts(Ada); len(posts) != 4 || posts[1].Text != "Done." || posts[2].Text != "Done." {
		t.Errorf("%+v", posts)
	}
}

// What was said while no hub was there is read from the history: in channels, in threads,
// also archived ones, and in direct messages; once, in order, and with its edits.
func TestAGapIsCaughtUp(t *testing.T) {
	w := newWorld(t)
	stop := w.Linked(Ada)
	w.Say(Ada, "@Helper first")
	w.SayAll(Ada, "before the gap")
	changed := w.Say(Ada, "@Helper paint it red")
	old := w.Chat.Thread(w.SayAll(Ada, "a thread begins"))
	w.discord.Taken()
	stop()
	w.discord.EndSessions()
	w.Chat.Edit(Ada, Ada, changed, "@Helper paint it blue")
	w.Say(Ada, "@Helper second")
	w.Chat.(bridgetest.Deleter).Delete(Ada, w.Say(Ada, "@Helper never mind"))
	for i := range 150 { // more than a page
		w.SayAll(Mallory, fmt.Sprint("chatter ", i))
	}
	w.SayAll(Ada, "said in the gap")
	w.Chat.Say(bridgetest.Said{Who: Ada, In: Standup, Text: "answered in the gap", Thread: old})
	w.discord.Archive(old)
	w.SayAll(Ada, "said at its end")
	faulty(w.discord, "GET", discordtest.Limited)
	w.Run()
	w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "after the gap", Twice: true})
	w.discord.Taken()
	w.Tasks("delegate first; delegate paint it red; delegate second")
	w.SaidOnce("before the gap", "a thread begins", "said in the gap", "answered in the gap", "said at its end", "after the gap")
	if edits := w.Events(parley.EventChatEdited); len(edits) != 1 {
		t.Errorf("%+v", edits)
	}
	w.discord.Hide(standup, true)
	stop2 := w.During(w.Bridge().Run) // what the bot does not see keeps nobody waiting
	w.Say(Ada, "@Helper third")
	w.discord.Taken()
	stop2()
}

// Sessions are gone on with, whoever ends the connection and how; nothing is lost or heard
// twice. If a session is over, a new one begins.
func TestConnectionsAreMadeAnew(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	var want []string
	say := func() {
		text := fmt.Sprintf("number %d.", len(want))
		w.discord.Say(discordtest.Said{User: ada, In: standup, Text: text, Twice: len(want)%3 == 0})
		want = append(want, text)
	}
	count := func() (opened, resumed int) {
		w.discord.Look(func(v *discordtest.State) { opened, resumed = v.Opened(), v.Resumed() })
		return opened, resumed
	}
	for _, end := range []func(){w.discord.Reconnect, w.discord.Drop, func() { w.discord.Invalidate(true) }, func() { w.discord.CloseWith(4000) }, w.discord.Reconnect} {
		opened, resumed := count()
		say()
		end()
		say()
		w.discord.Until("a session that goes on", func(v *discordtest.State) bool { return v.Resumed() > resumed })
		say()
		if now, _ := count(); now != opened {
			t.Errorf("a new session was begun")
		}
	}
	for _, end := range []func(){func() { w.discord.Invalidate(false) }, func() { w.discord.EndSessions(); w.discord.Drop() }, func() { w.discord.EndSessions(); w.discord.CloseWith(4009) }} {
		opened, _ := count()
		say()
		w.discord.Taken()
		end()
		say()
		w.discord.Until("a new session", func(v *discordtest.State) bool { return v.Opened() > opened })
		say()
	}
	w.discord.Taken()
	late := w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "late", Late: true})
	say()
	w.discord.Deliver(standup, late)
	w.discord.Taken()
	w.SaidOnce(append(want, "late")...)
}

// A connection that does not answer heartbeats is given up, and one that Discord refuses
// says why.
func TestConnectionsThatDoNotWork(t *testing.T) {
	s := discordtest.New()
	defer s.Close()
	s.Deaf, s.Interval = true, 20*time.Millisecond
	p := program(s, discord.Timing{})
	if err := p.Receive(t.Context(), &bridgetest.Inbox{}); err == nil || !strings.Contains(err.Error(), "has not answered") {
		t.Errorf("%v", err)
	}
	for code, want := range map[int]string{4014: "Message Content Intent", 4004: "token", 4000: "code 4000"} {
		s := discordtest.New()
		s.Refuse = code
		err := program(s, discord.Timing{}).Receive(t.Context(), &bridgetest.Inbox{})
		if f := (*bridge.Failure)(nil); err == nil || !strings.Contains(err.Error(), want) || errors.As(err, &f) && code != 4000 && f.After == 0 {
			t.Errorf("%v, not %s", err, want)
		}
		s.Close()
	}
	err := discord.New(discord.Config{Token: "wrong-secret", API: s.URL}).Receive(t.Context(), &bridgetest.Inbox{})
	if err == nil || !strings.Contains(err.Error(), "token") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	_, err = p.Post(t.Context(), bridge.Post{Key: "k", To: bridge.Place{Conversation: "99"}, Text: "hello"})
	if f := (*bridge.Failure)(nil); !errors.As(err, &f) || !f.Refused || !strings.Contains(f.Reason, "correct the id") {
		t.Errorf("%v", err)
	}
	_, err = p.Post(t.Context(), bridge.Post{Key: "k", To: bridge.Place{Conversation: "../users"}, Text: "hello"})
	if f := (*bridge.Failure)(nil); !errors.As(err, &f) || !f.Refused {
		t.Errorf("%v", err)
	}
	p = discord.New(discord.Config{Token: discordtest.Token, API: "http://127.0.0.1:1/"})
	_, err = p.Post(t.Context(), bridge.Post{Key: "k", To: bridge.Place{Conversation: "99"}, Text: "hello"})
	if f := (*bridge.Failure)(nil); !errors.As(err, &f) || f.Refused || strings.Contains(f.Reason, "127") {
		t.Errorf("%v", err)
	}
}

// What could not be stored is not acknowledged: it comes again. An interaction is answered
// when it was stored, and if that takes long Discord is told so before.
func TestEventsComeAgainUntilTheyAreStored(t *testing.T) {
	s := discordtest.New()
	defer s.Close()
	dm := s.Person(ada, "Ada")
	p := program(s, discord.Timing{Defer: time.Millisecond})
	failed := errors.New("the disk is full")
	in := &bridgetest.Inbox{OnTake: func(bridge.Event) error { return failed }}
	run := func() (stop func() error) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Receive(ctx, in) }()
		return func() error { cancel(); return <-done }
	}
	began := make(chan error, 1)
	go func() { began <- p.Receive(t.Context(), in) }()
	s.Until("a session", func(v *discordtest.State) bool { return v.Opened() == 1 })
	s.Taken()
	s.Say(discordtest.Said{User: ada, In: dm, Text: "hello"})
	if err := <-began; !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in.OnUp = cancel // that would be after everything that comes again
	if err := p.Receive(ctx, in); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	cancel()
	in.OnUp = nil
	in.OnTake = func(e bridge.Event) error {
		if e.Kind == bridge.Pressed {
			s.Until("a word that it takes longer", func(v *discordtest.State) bool { list := v.Shown(); return len(list) == 1 && list[0].Deferred })
		}
		return nil
	}
	stop := run()
	s.Taken()
	m := s.Repost(dm, "a post")
	s.Look(func(v *discordtest.State) {
		if v.Opened() != 1 || v.Resumed() != 2 {
			t.Errorf("%d sessions, %d times gone on with", v.Opened(), v.Resumed())
		}
	})
	if err := s.Press(ada, discordtest.Message{ID: m, Channel: dm, Components: []byte(`[{"components":[{"label":"Yes","custom_id":"x.0\nyes 1 2"}]}]`)}, "Yes"); err != nil {
		t.Fatal(err)
	}
	s.Taken()
	s.Until("the answer", func(v *discordtest.State) bool { list := v.Shown(); return list[0].Text == "done" && !list[0].Deferred })
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(in.Got()) != 2 || in.Got()[0].Text != "hello" || in.Got()[0].ID != "said/"+in.Got()[0].Message || in.Got()[1].Data != "yes 1 2" {
		t.Errorf("%+v", in.Got())
	}
}
