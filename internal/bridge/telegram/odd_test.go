package telegram_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge/telegram/telegramtest"
)

// After a week without updates their numbers may begin anew, lower than before. A message
// may be changed that nobody has seen, and a poll may fail.
func TestUpdatesAreOdd(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	w.telegram.Confirmed()
	w.telegram.Renumber(5)
	w.telegram.Fail(telegramtest.Fault{Method: "getUpdates", Status: 502})
	id := w.Say(Ada, "@Helper after a quiet week")
	w.telegram.Confirmed()
	w.Tasks("delegate after a quiet week")
	w.Chat.Edit(Ada, Ada, id, "@Helper after two weeks")
	w.Chat.Edit(Ada, Ada, "9999", "never seen")
	w.telegram.Confirmed()
	if n := len(w.Events(parley.EventChatEdited)); n != 1 {
		t.Errorf("%d edits", n)
	}
}

// A command may name the bot. What looks like one for another bot may be none.
func TestCommandsNameTheirBot(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	w.Say(Ada, "/pause@"+telegramtest.BotName)
	w.Find(Ada, "The team is paused")
	w.Say(Ada, "/pause@another_bot")
	w.Say(Ada, "/path@host is down")
	w.Find(Ada, "no command /path")
	w.SayAll(Ada, "/frob@another_bot now")
	w.SayAll(Ada, "/frab@host now")
	w.Find(Standup, "no command /frab")
	w.Paused(1)
	for _, p := range w.telegram.Posts() {
		if strings.Contains(p.Text, "frob") {
			t.Errorf("a command for another bot was answered: %s", p.Text)
		}
	}
}

// Updates that make no sense are left out, and the bridge goes on.
func TestUpdatesWithoutSense(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	from := map[string]any{"id": 501}
	for _, raw := range []map[string]any{nil, {}, {"message_id": -1}, {"message_id": 1, "from": from, "chat": map[string]any{}},
		{"message_id": 1, "from": map[string]any{"id": 501, "is_bot": true}, "text": "/pause", "chat": map[string]any{"id": 501, "type": "private"}},
		{"message_id": 1, "text": "/pause", "chat": map[string]any{"id": 501, "type": "channel"}}} {
		w.telegram.Raw("message", raw)
		w.telegram.Raw("my_chat_member", raw)
	}
	w.telegram.Press(people[Ada], telegramtest.Post{ID: 1, Chat: 501}, strings.Repeat("x ", 30))
	w.Say(Ada, "/resume")
	w.Find(Ada, "The team goes on.")
	w.Paused(0)
}

// Telegram deletes nothing that is older than two days. What was redacted is gone all the
// same: from further parts of a text, and from a file.
func TestOldMessagesAreRedacted(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	var made []parley.MessageID
	for _, text := range []string{strings.Repeat("words ", 600) + "\n\n" + strings.Repeat("words ", 600) + " hunter2", strings.Repeat("words ", 6000) + " hunter2"} {
		made = append(made, w.Notify(Ada, text))
	}
	w.Notify(Ada, "after it")
	w.Find(Ada, "after it")
	if shown := w.Find(Ada, "hunter2"); len(shown.Text) > 4000 || !strings.Contains(w.telegram.Posts()[len(w.telegram.Posts())-2].File, "hunter2") {
		t.Fatalf("%+v", shown)
	}
	old := telegramtest.Fault{Method: "deleteMessage", Refuse: "message can't be deleted for everyone"}
	w.telegram.Fail(old, old)
	for _, id := range made {
		w.Redact(id)
	}
	w.Gone("hunter2")
	if n := w.telegram.Calls("deleteMessage"); n != 2 {
		t.Errorf("%d tries to delete", n)
	}
}
