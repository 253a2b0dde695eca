package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bridge/telegram/telegramtest"
	"parley/internal/contact"
)

// Nobody hears an account that is not linked: it is told so once a day, kindly, and is on
// record once. Nothing that it tries does anything.
func TestAStrangerIsNotHeard(t *testing.T) {
	w := newWorld(t)
	w.run()
	id := w.want("something")
	for _, text := range []string{"Hello", "/ask Bot who are you?", "/tasks", "/approvals", "/pause", "/resume", "/help", "@Bot do it", "approve " + id.String(),
		"/start", "<b>", "🤖 Bot"} {
		w.telegram.Say(mallory, mallory.ID, text)
		w.telegram.Say(mallory, standup, text)
	}
	w.telegram.Press(mallory, telegramtest.Post{ID: 1, Chat: mallory.ID}, "approve "+id.String()+"-abcdefgh 0123456789ab")
	w.telegram.Edit(mallory, mallory.ID, 11, "edited")
	w.telegram.Confirmed()
	w.link(ada) // what comes after it shows that all was posted
	posts := w.telegram.Posts()
	if len(posts) != 2 || posts[0].Chat != mallory.ID || !strings.Contains(posts[0].Text, "I only talk with people of this team") {
		t.Errorf("%+v", posts)
	}
	events := w.events(parley.EventChatStranger)
	if len(events) != 1 || events[0].Detail != "telegram account 666 (Mallory [31m🤖 Bot) is not linked" {
		t.Errorf("%+v", events)
	}
	if n := len(w.events(parley.EventPaused)) + len(w.events(parley.EventTask)) + len(w.events(parley.EventMessage)); n != 0 {
		t.Errorf("it has done %d things", n)
	}
	w.ahead.Store(int64(25 * time.Hour))
	w.telegram.Say(mallory, mallory.ID, "It is another day")
	w.telegram.Until("the second refusal", func() bool { return len(w.telegram.Posts()) == 3 })
	// Five codes a day, however well they look.
	for i := range 8 {
		w.telegram.Say(mallory, mallory.ID, fmt.Sprintf("abcde-fgh%d%d", 2+i%5, 3))
	}
	w.telegram.Confirmed()
	w.notify("Helper", "Ada", "the end")
	w.telegram.Find(ada.ID, "the end")
	if n := len(w.telegram.Posts()); n != 3+5+1 {
		t.Errorf("%d posts", n)
	}
}

// A code works once, for ten minutes, and for one person. Unlinking works at once, also
// for what is still to be posted.
func TestLinkingAndUnlinking(t *testing.T) {
	w := newWorld(t)
	w.run()
	if _, err := w.people.Link(t.Context(), w.as("Rutger"), "Ada"); parley.KindOf(err) != parley.Denied {
		t.Errorf("Rutger links as Ada: %v", err)
	}
	if _, err := w.people.Link(t.Context(), w.as("Helper"), "Ada"); parley.KindOf(err) != parley.Denied {
		t.Errorf("an agent links as Ada: %v", err)
	}
	if _, err := w.people.Link(t.Context(), w.as("Ada"), "Bot"); parley.KindOf(err) != parley.Invalid {
		t.Errorf("an agent gets an account: %v", err)
	}
	code, err := w.people.Link(t.Context(), w.as("Rutger"), "Rutger")
	if err != nil {
		t.Fatal(err)
	}
	w.telegram.Say(mallory, standup, code.Code)
	w.telegram.Find(standup, "Others have read this code")
	w.telegram.Say(rutger, rutger.ID, code.Code)
	w.telegram.Find(rutger.ID, "This code is not valid.")
	if code, err = w.people.Link(t.Context(), w.as("Rutger"), "Rutger"); err != nil {
		t.Fatal(err)
	}
	w.telegram.Say(rutger, rutger.ID, "/start "+strings.ToUpper(code.Code))
	w.telegram.Find(rutger.ID, "You are Rutger here now.")
	w.telegram.Say(mallory, mallory.ID, code.Code)
	w.telegram.Find(mallory.ID, "This code is not valid.")
	w.telegram.Say(rutger, rutger.ID, code.Code)
	w.telegram.Find(rutger.ID, "You are Rutger here already.")
	old, err := w.people.Link(t.Context(), w.as("Ada"), "Ada")
	if err != nil {
		t.Fatal(err)
	}
	w.ahead.Store(int64(11 * time.Minute))
	w.telegram.Say(ada, ada.ID, old.Code)
	w.telegram.Find(ada.ID, "This code is not valid.")

	w.telegram.Fail(slices.Repeat([]telegramtest.Fault{{Method: "sendMessage", RetryAfter: 1}}, 2)...)
	w.notify("Helper", "Rutger", "Do not post this")
	gone, err := w.people.Unlink(t.Context(), w.as("Rutger"), "Rutger", "")
	if err != nil || len(gone) != 1 || gone[0].Account != "502" {
		t.Errorf("%+v, %v", gone, err)
	}
	w.telegram.Say(rutger, rutger.ID, "/pause")
	w.telegram.Find(rutger.ID, "I only talk with people")
	for _, p := range w.telegram.Posts() {
		if strings.Contains(p.Text, "Do not post this") {
			t.Errorf("%+v", p)
		}
	}
	if n := len(w.events(parley.EventPaused)); n != 0 {
		t.Error("it was heard")
	}
}

// Telegram asks for patience, loses answers and breaks. Everything comes, in order, and
// what may be there twice says so and is counted.
func TestFaultsOfTelegram(t *testing.T) {
	w := newWorld(t)
	b := w.bridge()
	w.during(b.Run)
	w.link(ada)
	w.telegram.Fail(telegramtest.Fault{Method: "sendMessage", RetryAfter: 1}, telegramtest.Fault{Method: "sendMessage", Lose: true},
		telegramtest.Fault{Method: "sendMessage", Status: 502}, telegramtest.Fault{Method: "getUpdates", Status: 502})
	for i := range 5 {
		w.notify("Helper", "Ada", fmt.Sprintf("number %d", i))
	}
	w.telegram.Find(ada.ID, "number 4")
	var got []string
	for _, p := range w.telegram.Posts()[1:] {
		got = append(got, strings.TrimPrefix(telegramtest.Plain(p.Text), "🤖 Helper"))
	}
	want := []string{"\nnumber 0", " (perhaps a repeat)\nnumber 0", "\nnumber 1", "\nnumber 2", "\nnumber 3", "\nnumber 4"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if s, err := b.State(t.Context()); err != nil || s.Repeats != 2 || s.GivenUp != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	// A post that Telegram refuses is given up, and the next one comes.
	w.telegram.Fail(telegramtest.Fault{Method: "sendMessage", Refuse: "chat not found"})
	w.notify("Helper", "Ada", "refused")
	w.notify("Helper", "Ada", "accepted")
	w.telegram.Find(ada.ID, "accepted")
	if s, err := b.State(t.Context()); err != nil || s.GivenUp != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Updates that come again do nothing again.
func TestUpdatesThatComeAgain(t *testing.T) {
	w := newWorld(t)
	stop := w.run()
	w.link(ada)
	w.telegram.Say(ada, ada.ID, "@Helper once")
	w.telegram.Say(ada, ada.ID, "/pause")
	w.telegram.Find(ada.ID, "The team is paused")
	w.telegram.Confirmed()
	stop()
	w.telegram.GiveAgain()
	w.run()
	w.telegram.Say(ada, ada.ID, "/resume")
	w.telegram.Find(ada.ID, "The team goes on.")
	w.telegram.GiveAgain()
	w.telegram.Say(ada, ada.ID, "/frobnicate")
	w.telegram.Find(ada.ID, "/frobnicate")
	if posts := w.telegram.Posts(); len(posts) != 4 {
		t.Errorf("%+v", posts)
	}
	if tasks, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper")); err != nil || len(tasks) != 1 {
		t.Errorf("%+v, %v", tasks, err)
	}
}

// While no bridge runs, what is said on both sides waits.
func TestAGapLosesNothing(t *testing.T) {
	w := newWorld(t)
	stop := w.run()
	w.link(ada)
	for i := range 4 {
		stop()
		w.telegram.Say(ada, ada.ID, fmt.Sprintf("@Helper from the chat %d", i))
		w.notify("Helper", "Ada", fmt.Sprintf("from the hub %d", i))
		stop = w.run()
	}
	w.telegram.Confirmed()
	w.telegram.Find(ada.ID, "from the hub 3")
	if n := len(w.telegram.Posts()); n != 5 {
		t.Errorf("%d posts", n)
	}
	if tasks, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper")); err != nil || len(tasks) != 4 {
		t.Errorf("%+v, %v", tasks, err)
	}
}

// A long text is split between paragraphs, and a very long one is attached. Every part
// says whose it is.
func TestLongTexts(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	paragraph := strings.Repeat("word & <b> ", 150)
	w.notify("Helper", "Ada", strings.Repeat(paragraph+"\n\n", 4)+"the end")
	w.telegram.Find(ada.ID, "the end")
	parts := w.telegram.Posts()[1:]
	if len(parts) < 2 || len(parts) > 4 {
		t.Fatalf("%d parts", len(parts))
	}
	whole := ""
	for i, p := range parts {
		text := telegramtest.Plain(p.Text)
		head := fmt.Sprintf("🤖 Helper (%d/%d)\n", i+1, len(parts))
		if !strings.HasPrefix(text, head) {
			t.Errorf("part %d begins %q", i, text[:60])
		}
		whole += strings.TrimPrefix(text, head) + "\n\n"
	}
	if n := strings.Count(whole, "word & <b>"); n != 600 {
		t.Errorf("%d of 600 words", n)
	}
	long := strings.Repeat(paragraph+"\n\n", 40) + "the very end"
	w.notify("Helper", "Ada", long)
	w.telegram.Until("the file", func() bool { all := w.telegram.Posts(); return all[len(all)-1].File != "" })
	all := w.telegram.Posts()
	if file := all[len(all)-1]; file.File != long+"\n" || !strings.HasPrefix(file.Text, "<b>🤖 Helper</b>") {
		t.Errorf("%.200s", file.Text)
	}
}

// What is redacted is taken back in the chat too.
func TestRedactionReachesTheChat(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	made, err := w.hub.Contacts.Notify(t.Context(), w.as("Helper"), contact.Request{Target: "Ada", Message: "the password is hunter2, do not tell"})
	if err != nil {
		t.Fatal(err)
	}
	w.telegram.Find(ada.ID, "hunter2")
	if _, err := w.hub.Redactions.Redact(t.Context(), w.as("Ada"), made.Message, "a secret"); err != nil {
		t.Fatal(err)
	}
	w.telegram.Until("the redaction", func() bool {
		for _, p := range w.telegram.Posts() {
			if strings.Contains(p.Text, "hunter2") {
				return false
			}
		}
		return true
	})
}
