package telegram_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge/telegram/telegramtest"
	"parley/internal/contact"
)

// A person is linked by a code, talks with the lead, and gets the answer below the
// question, in Telegram's own form.
func TestAPersonTalksWithAgents(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	asked := w.telegram.Say(ada, ada.ID, "Is it done?")
	got := w.telegram.Find(ada.ID, "really")
	if got.Text != "<b>🤖 Bot</b>\n<b>Yes</b>, &lt;b&gt;really&lt;/b&gt; &amp; truly." || got.ReplyTo != asked {
		t.Errorf("%+v", got)
	}
	// An answer to a message goes to its author.
	w.notify("Helper", "Ada", "I am here.")
	hello := w.telegram.Find(ada.ID, "I am here.")
	w.telegram.Say(ada, ada.ID, "Good.", telegramtest.Reply(hello.ID))
	w.telegram.Say(ada, ada.ID, "@Helper, look at this.")
	w.telegram.Say(ada, ada.ID, "/ask Helper Are you there?")
	w.telegram.Confirmed()
	list, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper"))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, task := range list {
		titles = append(titles, string(task.Pattern)+" "+task.Title)
	}
	if got := strings.Join(titles, "; "); got != "delegate Good.; delegate look at this.; ask Are you there?" {
		t.Errorf("Helper has %q", got)
	}
	if posts := w.telegram.Posts(); len(posts) != 3 {
		t.Errorf("%+v", posts)
	}
}

// An approval has buttons that are bound to the call. Whoever decides first decides, and
// everybody sees it in place.
func TestApprovalsAreDecidedByButtons(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada, rutger)
	id := w.want("rm -rf <everything>")
	post, other := w.telegram.Find(ada.ID, id.String()), w.telegram.Find(rutger.ID, id.String())
	if text := telegramtest.Plain(post.Text); !strings.Contains(text, "Trainee wants to contact Bot.") || !strings.Contains(text, "rm -rf <everything>") {
		t.Errorf("%s", text)
	}
	w.telegram.Press(ada, post, press(t, post, "Show all"))
	w.telegram.Find(ada.ID, `"message"`)
	w.telegram.Press(ada, post, press(t, post, "Approve"))
	for _, chat := range []int64{ada.ID, rutger.ID} {
		if p := w.telegram.Find(chat, "It was approved by Ada."); len(p.Buttons) > 0 || p.Edits != 1 {
			t.Errorf("%+v", p)
		}
	}
	// Another decision is too late, and changes nothing.
	w.telegram.Press(rutger, other, press(t, other, "Deny"))
	w.telegram.Until("the answer", func() bool {
		return strings.Contains(strings.Join(w.telegram.Answers(), "\n"), "was approved by Ada already")
	})

	id = w.want("another thing")
	post = w.telegram.Find(rutger.ID, "another thing")
	w.telegram.Press(rutger, post, press(t, post, "saying why"))
	prompt := w.telegram.Find(rutger.ID, "Why not?")
	if !prompt.Prompt {
		t.Errorf("%+v", prompt)
	}
	w.telegram.Say(rutger, rutger.ID, "Not on a Friday.", telegramtest.Reply(prompt.ID))
	w.telegram.Find(ada.ID, "It was denied by Rutger: Not on a Friday.")
	a, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id})
	if err != nil || a.State != parley.ApprovalDenied || a.Comment != "Not on a Friday." {
		t.Errorf("%+v, %v", a, err)
	}

	// A press that names another call than the one that was shown is refused.
	id = w.want("a third thing")
	post = w.telegram.Find(ada.ID, "a third thing")
	forged := strings.Fields(press(t, post, "Approve"))
	forged[2] = "0123456789ab"
	before := len(w.telegram.Answers())
	w.telegram.Press(ada, post, strings.Join(forged, " "))
	w.telegram.Press(ada, post, "approve "+id.String()+" 0123456789ab")
	w.telegram.Press(ada, post, "approve")
	w.telegram.Press(ada, post, "become admin now")
	w.telegram.Until("four answers", func() bool { return len(w.telegram.Answers()) == before+4 })
	if a, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id}); err != nil || a.State != parley.ApprovalPending {
		t.Errorf("%+v, %v: %q", a, err, w.telegram.Answers())
	}
	// One that was decided elsewhere changes in place too.
	if _, err := w.hub.Contacts.Deny(t.Context(), w.as("Rutger"), parley.ApprovalRef{ID: id}, ""); err != nil {
		t.Fatal(err)
	}
	w.telegram.Find(ada.ID, "It was denied by Rutger.")
}

// What an agent asks of a person has its choices as buttons, and is answered by a button
// or by a reply.
func TestQuestionsAreAnswered(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	first := w.delegate("Helper", "Ada", "Which colour?\n\n1. red\n2. deep blue")
	post := w.telegram.Find(ada.ID, "Which colour?")
	w.telegram.Press(ada, post, press(t, post, "deep blue"))
	w.telegram.Find(ada.ID, "("+first.Task.ID.String()+" is completed.)")
	second := w.delegate("Helper", "Ada", "And the size?")
	post = w.telegram.Find(ada.ID, "And the size?")
	w.telegram.Say(ada, ada.ID, "large", telegramtest.Reply(post.ID))
	w.telegram.Find(ada.ID, "("+second.Task.ID.String()+" is completed.)")
	for task, want := range map[parley.TaskID]string{first.Task.ID: "deep blue", second.Task.ID: "large"} {
		got, err := w.hub.Reading.Task(t.Context(), w.as("Ada"), task)
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.hub.Reading.Message(t.Context(), w.as("Ada"), got.Result)
		if err != nil || m.Body != want {
			t.Errorf("%q, %v", m.Body, err)
		}
	}
}

// A channel is the same on both sides: what is said in the group is said in the channel
// and not posted back; what is said in the channel is posted, and answers stand below.
func TestAChannelIsMapped(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	asked := w.telegram.Say(ada, standup, "@Bot is it done?")
	if got := w.telegram.Find(standup, "really"); got.ReplyTo != asked {
		t.Errorf("%+v", got)
	}
	toLead := w.telegram.Say(ada, standup, "@"+telegramtest.BotName+" and now?")
	w.telegram.Until("the lead's answer", func() bool {
		for _, p := range w.telegram.Posts() {
			if p.ReplyTo == toLead {
				return true
			}
		}
		return false
	})
	if _, err := w.hub.Contacts.Post(t.Context(), w.as("Helper"), contact.Post{Channel: "standup", Message: "From the hub."}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.Contacts.Post(t.Context(), w.as("Rutger"), contact.Post{Channel: "standup", Message: "From a person."}); err != nil {
		t.Fatal(err)
	}
	w.telegram.Find(standup, "🤖 Helper\nFrom the hub.")
	w.telegram.Find(standup, "👤 Rutger\nFrom a person.")
	// In another topic of the group the answer stands there.
	w.telegram.Say(ada, standup, "@Bot in a topic", map[string]any{"message_thread_id": 42, "is_topic_message": true})
	w.telegram.Until("the answer in the topic", func() bool {
		for _, p := range w.telegram.Posts() {
			if p.Thread == 42 {
				return true
			}
		}
		return false
	})
	if n := len(w.telegram.Posts()); n != 6 { // the first is to Ada
		t.Errorf("%d posts: %+v", n, w.telegram.Posts())
	}
}

// An edited message is recorded and said as a correction, to the same one and without a
// second turn.
func TestAnEditIsACorrection(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	id := w.telegram.Say(ada, ada.ID, "@Helper paint it red")
	w.telegram.Confirmed()
	w.telegram.Edit(ada, ada.ID, id, "@Helper paint it blue")
	w.telegram.Edit(ada, ada.ID, 9999, "never seen")
	w.telegram.Confirmed()
	if n := len(w.events(parley.EventChatEdited)); n != 1 {
		t.Errorf("%d edits on record", n)
	}
	if tasks, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper")); err != nil || len(tasks) != 1 {
		t.Errorf("%+v, %v", tasks, err)
	}
	said, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "@Helper", 0, 10)
	if err != nil || len(said.Messages) != 2 || said.Messages[0].Body != "paint it red" ||
		!strings.HasPrefix(said.Messages[1].Body, "Correction of msg-") || !strings.HasSuffix(said.Messages[1].Body, "paint it blue") {
		t.Errorf("%+v, %v", said, err)
	}
}

// The commands do what the use cases do.
func TestCommands(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	w.want("something")
	w.telegram.Find(ada.ID, "something")
	w.delegate("Helper", "Rutger", "Review the <draft>")
	w.telegram.Say(ada, ada.ID, "/tasks")
	w.telegram.Find(ada.ID, "Rutger, queued: Review the <draft>")
	w.telegram.Say(ada, ada.ID, "/approvals@"+telegramtest.BotName)
	w.telegram.Until("a second post of the approval", func() bool {
		n := 0
		for _, p := range w.telegram.Posts() {
			if strings.Contains(p.Text, "Trainee wants") {
				n++
			}
		}
		return n == 2
	})
	w.telegram.Say(ada, ada.ID, "/pause")
	w.telegram.Find(ada.ID, "The team is paused")
	if n := len(w.events(parley.EventPaused)); n != 1 {
		t.Errorf("paused %d times", n)
	}
	w.telegram.Say(ada, ada.ID, "/resume")
	w.telegram.Find(ada.ID, "The team goes on.")
	w.telegram.Say(ada, ada.ID, "/frobnicate")
	w.telegram.Find(ada.ID, "There is no command /frobnicate.")
	w.telegram.Say(ada, ada.ID, "/ask Nobody why?")
	w.telegram.Find(ada.ID, "Nobody")
	w.telegram.Say(ada, ada.ID, "/pause", map[string]any{"forward_origin": map[string]any{"type": "hidden_user"}})
	w.telegram.Say(ada, ada.ID, "/pause@another_bot")
	w.telegram.Confirmed()
	if n := len(w.events(parley.EventPaused)); n != 1 {
		t.Errorf("paused %d times", n)
	}
}
