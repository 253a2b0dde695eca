package telegram_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge/telegram/telegramtest"
	"parley/internal/contact"
)

// After a week without updates their numbers may begin anew, lower than before. A change of
// a message may be none of its text. What looks like a command for another bot may be none.
func TestUpdatesAreOdd(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	w.telegram.Confirmed()
	w.telegram.Renumber(5)
	id := w.telegram.Say(ada, ada.ID, "@Helper after a quiet week")
	w.telegram.Confirmed()
	if tasks, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper")); err != nil || len(tasks) != 1 {
		t.Errorf("%+v, %v", tasks, err)
	}
	for range 2 {
		w.telegram.Edit(ada, ada.ID, id, "@Helper after a quiet week")
	}
	w.telegram.Confirmed()
	if n := len(w.events(parley.EventChatEdited)); n != 0 {
		t.Errorf("%d edits that were none", n)
	}
	w.telegram.Edit(ada, ada.ID, id, "@Helper after two weeks")
	w.telegram.Confirmed()
	if n := len(w.events(parley.EventChatEdited)); n != 1 {
		t.Errorf("%d edits", n)
	}
	w.telegram.Say(ada, ada.ID, "/path@host is down")
	w.telegram.Find(ada.ID, "no command /path")
	w.telegram.Say(ada, standup, "/frob@another_bot now")
	w.telegram.Say(ada, standup, "/frab@host now")
	w.telegram.Find(standup, "no command /frab")
	for _, p := range w.telegram.Posts() {
		if strings.Contains(p.Text, "frob") {
			t.Errorf("a command for another bot was answered: %s", p.Text)
		}
	}
}

// Telegram deletes nothing that is older than two days. What was redacted is gone all the
// same: from further parts of a text, and from a file.
func TestOldMessagesAreRedacted(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	var made []parley.MessageID
	for _, text := range []string{strings.Repeat("words ", 600) + "\n\n" + strings.Repeat("words ", 600) + " hunter2", strings.Repeat("words ", 6000) + " hunter2"} {
		m, err := w.hub.Contacts.Notify(t.Context(), w.as("Helper"), contact.Request{Target: "Ada", Message: text, Attach: true})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, m.Message)
	}
	w.notify("Helper", "Ada", "after it")
	w.telegram.Find(ada.ID, "after it")
	shown := func() (n int) {
		for _, p := range w.telegram.Posts() {
			if !p.Deleted && strings.Contains(p.Text+p.File, "hunter2") {
				n++
			}
		}
		return n
	}
	if n := shown(); n != 2 {
		t.Fatalf("%d posts have it", n)
	}
	old := telegramtest.Fault{Method: "deleteMessage", Refuse: "message can't be deleted for everyone"}
	w.telegram.Fail(old, old)
	for _, id := range made {
		if _, err := w.hub.Redactions.Redact(t.Context(), w.as("Ada"), id, "a secret"); err != nil {
			t.Fatal(err)
		}
	}
	w.telegram.Until("that nothing shows the secret", func() bool { return shown() == 0 })
	if n := w.telegram.Calls("deleteMessage"); n != 2 {
		t.Errorf("%d tries to delete", n)
	}
}
