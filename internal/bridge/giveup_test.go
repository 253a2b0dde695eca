package bridge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bridge"
	"parley/internal/contact"
	"parley/internal/store"
)

// deny decides about an approval, whose posts then change.
func (w *world) deny(id parley.ApprovalID) {
	w.t.Helper()
	if _, err := w.hub.Contacts.Deny(w.t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id}, ""); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) post(channel, text string) {
	w.t.Helper()
	if _, err := w.hub.Contacts.Post(w.t.Context(), w.as("Helper"), contact.Post{Channel: channel, Message: text}); err != nil {
		w.t.Fatal(err)
	}
}

// stale are the posts that show what was before.
func (w *world) stale() (list []parley.ChatPost) {
	w.t.Helper()
	if err := w.store.View(w.t.Context(), func(tx *store.Tx) (err error) { list, err = tx.StaleChatPosts(w.team.ID, "chat", 10); return err }); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// givenUp waits until so many posts are given up, and returns what the record says of it.
func (w *world) givenUp(b *bridge.Bridge, want int) (list []parley.Event) {
	w.t.Helper()
	w.chat.until("that it is given up", func() bool {
		s, err := b.State(w.t.Context())
		return err == nil && s.GivenUp >= want
	})
	if s, err := b.State(w.t.Context()); err != nil || s.GivenUp != want {
		w.t.Errorf("%+v, %v", s, err)
	}
	return w.events(parley.EventChatGivenUp)
}

// A change that the program never shows keeps no other waiting, is tried with pauses, and is
// given up after a day. People read of it in the record.
func TestAChangeThatFailsForEver(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.timing.Pauses = []time.Duration{time.Millisecond, time.Minute}
	b, _ := w.run()
	first, second := w.want("Trainee", "one"), w.want("Trainee", "two")
	poison := w.chat.find("Ada", first.String()).ID
	w.chat.find("Ada", second.String())
	w.chat.until("both", func() bool { return len(w.next()) == 0 })
	w.chat.do(func() {
		w.chat.edit = func(id string, p bridge.Post) error {
			if id != poison {
				return nil
			}
			return errors.New("update_failed")
		}
	})
	w.deny(first)
	w.deny(second)
	w.chat.until("the second", func() bool { return w.chat.count("Ada", "It was denied") == 1 })
	for n := range 5 {
		w.chat.until("a try", func() bool { stale := w.stale(); return len(stale) == 0 || stale[0].Tries > n })
		w.ahead.Add(int64(25 * time.Hour / 3))
		w.notify("Helper", "Ada", "a look") // what waits for its time is looked at again
	}
	if list := w.givenUp(b, 1); len(list) != 1 || list[0].Detail != "chat: "+first.String()+" was not brought up to date: update_failed" {
		t.Errorf("%+v", list)
	}
}

// What the program refuses to change is given up at once.
func TestAChangeThatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	b, _ := w.run()
	id := w.want("Trainee", "one")
	w.chat.find("Ada", id.String())
	w.chat.until("it", func() bool { return len(w.next()) == 0 })
	w.chat.do(func() {
		w.chat.edit = func(string, bridge.Post) error { return &bridge.Failure{Reason: "too old", Refused: true} }
	})
	w.deny(id)
	if list := w.givenUp(b, 1); len(list) != 1 || !strings.HasSuffix(list[0].Detail, "was not brought up to date: too old") {
		t.Errorf("%+v", list)
	}
}

// A conversation that refuses everything is counted post by post, and recorded once. Others go
// on.
func TestAConversationThatRefuses(t *testing.T) {
	w := newWorld(t)
	w.link("Ada", "Rutger")
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		if p.To.Conversation == "Ada" {
			return false, &bridge.Failure{Reason: "the bot was thrown out", Refused: true}
		}
		return true, nil
	}
	b, _ := w.run()
	id := w.want("Trainee", "one")
	w.notify("Helper", "Ada", "two")
	w.notify("Helper", "Rutger", "three")
	w.chat.find("Rutger", "three")
	if list := w.givenUp(b, 2); len(list) != 1 || list[0].Detail != "chat: "+id.String()+" was not posted: the bot was thrown out" || list[0].Target != w.as("Ada").Agent {
		t.Errorf("%+v", list)
	}
}

// After an outage of more than a day, what is tried has its tries; what waits behind it for
// longer than a day is not posted, but for what still waits for somebody.
func TestAfterALongOutage(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.timing.MaxBehind = 100 * time.Hour
	out, early := true, 0
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		asks := strings.Contains(p.Text, "approval")
		if asks {
			early++
		}
		if asks && early <= 3 || !asks && out {
			return false, tooEarly
		}
		return true, nil
	}
	b, _ := w.run()
	w.notify("Helper", "Ada", "the first")
	w.notify("Helper", "Ada", "the second")
	id := w.want("Trainee", "one")
	w.chat.until("tries", func() bool { next := w.next(); return len(next) == 1 && next[0].Tries > 0 })
	w.chat.until("all", func() bool { s, err := b.State(t.Context()); return err == nil && s.Pending == 3 })
	w.chat.do(func() { out = false })
	w.chat.find("Ada", id.String())
	if w.chat.count("Ada", "the first")+w.chat.count("Ada", "the second") != 2 {
		t.Errorf("%+v", w.chat.all())
	}
	w.chat.do(func() { out = true })
	w.notify("Helper", "Ada", "the third")
	w.notify("Helper", "Ada", "the fourth")
	second := w.want("Trainee", "two")
	w.chat.until("all", func() bool {
		s, err := b.State(t.Context())
		next := w.next()
		return err == nil && s.Pending == 3 && next[0].Tries > 0
	})
	w.chat.do(func() { early = 0 })
	w.ahead.Store(int64(25 * time.Hour))
	w.chat.find("Ada", second.String())
	w.givenUp(b, 2)
	if n := w.chat.count("Ada", "the third") + w.chat.count("Ada", "the fourth"); n != 0 {
		t.Errorf("%+v", w.chat.all())
	}
}

// A chat that is not connected to the channel any more gets nothing of what waits for it, also
// if another channel is.
func TestAChatThatIsNotConnectedAnyMore(t *testing.T) {
	for name, channels := range map[string]map[string]string{"to none": {}, "to another": {"lounge": "C1"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.link("Ada")
			w.chat.post = func(n int, p bridge.Post) (bool, error) { return false, tooEarly }
			_, stop := w.run()
			w.post("standup", "not for that chat")
			w.chat.until("a try", func() bool { next := w.next(); return len(next) == 1 && next[0].Tries > 0 })
			stop()
			w.chat.do(func() { w.chat.post = nil })
			w.channels = channels
			b, _ := w.run()
			w.givenUp(b, 1)
			w.chat.take(said("1", "@Ada", "C1", "/pause"))
			w.chat.find("C1", "The team is paused") // an answer goes where it was asked for
			if n := w.chat.count("C1", "not for that chat"); n != 0 {
				t.Errorf("%+v", w.chat.all())
			}
		})
	}
}

// What a button in a group asks for goes to the person alone.
func TestButtonsInAGroupAreAnsweredAlone(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.run()
	id := w.want("Trainee", "something")
	buttons := w.chat.find("Ada", id.String()).Buttons
	press := func(n, in string, b bridge.Button) {
		w.chat.take(bridge.Event{ID: n, Kind: bridge.Pressed, Account: bridge.Account{ID: "@Ada"}, Place: bridge.Place{Conversation: in, Thread: "7"}, Private: in == "Ada", Message: "9", Data: b.Data})
	}
	press("p1", "C1", buttons[2])
	prompt := w.chat.find("Ada", "Why not?")
	press("p2", "C1", buttons[3])
	w.chat.until("the payload", func() bool { return w.chat.count("Ada", id.String()) == 2 })
	w.chat.until("all", func() bool { return len(w.next()) == 0 })
	if n := w.chat.count("C1", ""); n != 0 || prompt.To.Thread != "" || prompt.ReplyTo != "" {
		t.Errorf("%+v", w.chat.all())
	}
	press("p3", "Ada", buttons[3])
	w.chat.until("the payload", func() bool { return w.chat.count("Ada", id.String()) == 3 })
	all := w.chat.all()
	if last := all[len(all)-1]; last.ReplyTo != "9" || last.To.Thread != "7" {
		t.Errorf("%+v", last)
	}
	e := said("4", "@Ada", "Ada", "It is not wanted.")
	e.ReplyTo = prompt.ID
	w.chat.take(e)
	w.chat.find("Ada", "It was denied by Ada: It is not wanted.")
}
