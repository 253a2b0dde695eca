package discord_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge/discord/discordtest"
	"parley/internal/contact"
)

// A person is linked by a code, talks with the lead, and gets the answer as one to the
// question, in Discord's own form. Whoever answers a post goes on with its author.
func TestAPersonTalksWithAgents(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	asked := w.say(ada, "Is it done?")
	got := w.discord.Find(w.dms[ada], "really")
	if got.Content != "🤖 **Bot**\n**Yes**, \\<b\\>really\\</b\\> & truly." || got.Reference == nil || got.Reference.Message != asked {
		t.Errorf("%+v", got)
	}
	w.notify("Helper", "Ada", "I am here.")
	hello := w.discord.Find(w.dms[ada], "I am here.")
	w.discord.Say(discordtest.Said{User: ada, In: w.dms[ada], Text: "Good & well.", ReplyTo: hello.ID})
	w.say(ada, "@Helper, look at this.")
	w.discord.Command(ada, standup, "ask", "Helper", "Are you there?")
	w.discord.Taken()
	if got := w.tasks(); got != "delegate Good & well.; delegate look at this.; ask Are you there?" {
		t.Errorf("Helper has %q", got)
	}
	w.discord.Look(func(v *discordtest.State) {
		if posts := v.Posts(w.dms[ada]); len(posts) != 3 {
			t.Errorf("%+v", posts)
		}
		if shown := v.Shown(); len(shown) != 1 || shown[0].Text != "I answer by direct message." {
			t.Errorf("%+v", shown)
		}
		if list := v.Commands(); !strings.Contains(list, `"approvals"`) || v.Calls("PUT applications/commands") != 1 {
			t.Errorf("the commands are %s", list)
		}
	})
}

// form waits for a form.
func (w *world) form() (f discordtest.Form) {
	w.discord.Until("a form", func(v *discordtest.State) bool {
		if list := v.Forms(); len(list) > 0 {
			f = list[len(list)-1]
		}
		return f.CustomID != ""
	})
	return f
}

// shown waits for something that was shown to a user alone.
func (w *world) shown(user, text string) {
	w.t.Helper()
	w.discord.Until(text, func(v *discordtest.State) bool {
		for _, m := range v.Shown() {
			if m.User == user && strings.Contains(m.Text, text) {
				return true
			}
		}
		return false
	})
}

// An approval has buttons that are bound to the call. Whoever decides first decides, and
// everybody sees it in place. A reason is asked for by a form.
func TestApprovalsAreDecidedByButtons(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada, rutger)
	id := w.want("rm -rf <everything>")
	post, other := w.discord.Find(w.dms[ada], id.String()), w.discord.Find(w.dms[rutger], id.String())
	if !strings.Contains(post.Content, "Trainee wants to contact Bot.") || !strings.Contains(post.Content, "rm -rf <everything>") || !strings.HasPrefix(post.Content, "⚙ **parley**\n") {
		t.Errorf("%+v", post)
	}
	w.press(ada, post, "Show all")
	w.discord.Find(w.dms[ada], `"message"`)
	w.press(ada, post, "Approve")
	w.discord.Again() // Discord may repeat it
	for _, dm := range []string{w.dms[ada], w.dms[rutger]} {
		if p := w.discord.Find(dm, "It was approved by Ada."); len(p.Buttons()) > 0 || p.Updates != 1 {
			t.Errorf("%+v", p)
		}
	}
	w.shown(ada, "is approved.")
	// Another decision is too late, and changes nothing. The button was on the screen still.
	w.press(rutger, other, "Deny")
	w.shown(rutger, "was approved by Ada already")

	id = w.want("another thing")
	w.press(rutger, w.discord.Find(w.dms[rutger], "another thing"), "Deny, saying why")
	form := w.form()
	w.discord.Submit(rutger, form, "Not on a Friday.")
	w.discord.Submit(rutger, form, "Not on a Friday.")
	w.discord.Find(w.dms[ada], "It was denied by Rutger: Not on a Friday.")
	a, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id})
	if err != nil || a.State != parley.ApprovalDenied || a.Comment != "Not on a Friday." || form.Title != "Why not?" {
		t.Errorf("%+v, %v, %+v", a, err, form)
	}
	// One that was decided elsewhere changes in place too.
	id = w.want("a third thing")
	w.discord.Find(w.dms[ada], "a third thing")
	if _, err := w.hub.Contacts.Deny(t.Context(), w.as("Rutger"), parley.ApprovalRef{ID: id}, ""); err != nil {
		t.Fatal(err)
	}
	w.discord.Find(w.dms[ada], id.String(), "It was denied by Rutger.")
	w.discord.Taken()
	w.discord.Look(func(v *discordtest.State) {
		if n := v.Unanswered(); n != 0 {
			t.Errorf("%d interactions have no answer", n)
		}
	})
}

// What an agent asks of a person has its choices as buttons, and is answered by a button
// or by an answer.
func TestQuestionsAreAnswered(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	first := w.delegate("Helper", "Ada", "Which colour?\n\n1. red\n2. deep blue")
	w.press(ada, w.discord.Find(w.dms[ada], "Which colour?"), "2. deep blue")
	w.discord.Find(w.dms[ada], "("+first.Task.ID.String()+" is completed.)")
	w.shown(ada, "You answered: deep blue")
	second := w.delegate("Helper", "Ada", "And the size?")
	post := w.discord.Find(w.dms[ada], "And the size?")
	w.discord.Say(discordtest.Said{User: ada, In: w.dms[ada], Text: "large", ReplyTo: post.ID})
	w.discord.Find(w.dms[ada], "("+second.Task.ID.String()+" is completed.)")
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

// A channel is the same on both sides: what is said in Discord is said in the channel and
// not posted back; what is said in the channel is posted. A thread is a channel of its own
// in Discord, and belongs to the channel here. Channels that are not connected are none of
// the bridge's business.
func TestAChannelIsMapped(t *testing.T) {
	w := newWorld(t)
	w.discord.Channel("5002", "elsewhere")
	w.run()
	w.link(ada)
	asked := w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "@Bot is it done?"})
	if got := w.discord.Find(standup, "really"); got.Reference == nil || got.Reference.Message != asked {
		t.Errorf("%+v", got)
	}
	w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "<@" + discordtest.Bot + "> and now?"})
	w.discord.Until("a second answer", func(v *discordtest.State) bool { return len(v.Posts(standup)) == 2 })
	for author, text := range map[string]string{"Helper": "From the hub.", "Rutger": "From a person."} {
		if _, err := w.hub.Contacts.Post(t.Context(), w.as(author), contact.Post{Channel: "standup", Message: text}); err != nil {
			t.Fatal(err)
		}
	}
	if m := w.discord.Find(standup, "From the hub."); !strings.HasPrefix(m.Content, "🤖 **Helper**\n") {
		t.Errorf("%+v", m)
	}
	if m := w.discord.Find(standup, "From a person."); !strings.HasPrefix(m.Content, "👤 **Rutger**\n") {
		t.Errorf("%+v", m)
	}
	// In a thread the answer stands there.
	parent := w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "about the weather"})
	thread := w.discord.Thread(standup, parent)
	w.discord.Say(discordtest.Said{User: ada, In: thread, Text: "@Bot in a thread"})
	w.discord.Find(thread, "really")
	w.discord.Say(discordtest.Said{User: mallory, In: "5002", Text: "@Bot not for you"})
	w.discord.Say(discordtest.Said{User: ada, In: "5002", Text: "/pause"})
	w.discord.Say(discordtest.Said{User: ada, In: "5002", Text: "<@" + discordtest.Bot + "> which id?"})
	w.discord.Find("5002", "Its id is 5002")
	w.discord.Taken()
	w.discord.Look(func(v *discordtest.State) {
		if here, there, away := v.Posts(standup), v.Posts(thread), v.Posts("5002"); len(here) != 4 || len(there) != 1 || len(away) != 1 {
			t.Errorf("%+v, %+v, %+v", here, there, away)
		}
	})
	if n := len(w.events(parley.EventPaused)); n != 0 {
		t.Errorf("paused %d times", n)
	}
	w.inStandup("@Bot is it done?", "about the weather", "@Bot in a thread")
}

// inStandup looks whether the channel has these messages of people, once each and in order.
func (w *world) inStandup(want ...string) {
	w.t.Helper()
	said, err := w.hub.Reading.Read(w.t.Context(), w.as("Ada"), "standup", 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	var texts []string
	for _, m := range said.Messages {
		for _, text := range want {
			if m.Body == text {
				texts = append(texts, text)
			}
		}
	}
	if got := strings.Join(texts, "|"); got != strings.Join(want, "|") {
		w.t.Errorf("the channel has %q, not %q", got, strings.Join(want, "|"))
	}
}

// Edits and deletions are on record; an edit is said as a correction. What Discord itself
// does to a message is none, and what bots and webhooks say is nothing at all.
func TestEditsAndDeletionsAreRecorded(t *testing.T) {
	w := newWorld(t)
	stop := w.run()
	w.link(ada)
	id := w.say(ada, "@Helper paint it red")
	w.discord.Unfurl(w.dms[ada], id)
	w.discord.Taken()
	w.discord.Edit(w.dms[ada], id, "@Helper paint it blue")
	w.discord.Unfurl(w.dms[ada], id)
	w.discord.Say(discordtest.Said{User: ada, In: w.dms[ada], Text: "@Helper I am a bot", Bot: true})
	w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "@Helper I am a webhook", Webhook: "9"})
	w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "@Helper I am a notice", Type: 7})
	w.discord.Taken()
	stop()
	w.run()
	w.discord.Taken() // who wrote it was found out again
	w.discord.Delete(w.dms[ada], id)
	other := w.say(ada, "@Helper and this")
	w.discord.Delete(w.dms[ada], other, w.say(ada, "@Helper and that"))
	w.discord.Taken()
	if edits, deletions := w.events(parley.EventChatEdited), w.events(parley.EventChatDeleted); len(edits) != 1 || len(deletions) != 3 {
		t.Errorf("%+v, %+v", edits, deletions)
	}
	said, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "@Helper", 0, 10)
	if err != nil || len(said.Messages) != 4 || said.Messages[0].Body != "paint it red" ||
		!strings.HasPrefix(said.Messages[1].Body, "Correction of msg-") || !strings.HasSuffix(said.Messages[1].Body, "paint it blue") {
		t.Errorf("%+v, %v", said, err)
	}
}

// The commands do what the use cases do, and answer by direct message.
func TestCommands(t *testing.T) {
	w := newWorld(t)
	w.run()
	code, err := w.people.Link(t.Context(), w.as("Ada"), "Ada")
	if err != nil {
		t.Fatal(err)
	}
	w.discord.Taken() // the commands are known
	w.discord.Command(ada, standup, "link", code.Code)
	w.discord.Find(w.dms[ada], "You are Ada here now.")
	w.want("something")
	w.discord.Find(w.dms[ada], "something")
	w.delegate("Helper", "Rutger", "Review the *draft*")
	w.discord.Command(ada, standup, "tasks")
	w.discord.Find(w.dms[ada], `Rutger, queued: Review the \*draft\*`)
	w.discord.Command(ada, w.dms[ada], "approvals")
	w.discord.Until("a second post of the approval", func(v *discordtest.State) bool {
		n := 0
		for _, p := range v.Posts(w.dms[ada]) {
			if strings.Contains(p.Content, "Trainee wants") {
				n++
			}
		}
		return n == 2
	})
	w.discord.Command(ada, standup, "pause")
	w.discord.Find(w.dms[ada], "The team is paused")
	w.say(ada, "/resume")
	w.discord.Find(w.dms[ada], "The team goes on.")
	w.discord.Command(ada, standup, "ask", "Nobody", "why?")
	w.discord.Find(w.dms[ada], "Nobody")
	w.discord.Say(discordtest.Said{User: ada, In: w.dms[ada], Shared: "/pause"})
	w.say(ada, "</pause:8>")
	w.discord.Taken()
	if n := len(w.events(parley.EventPaused)); n != 1 {
		t.Errorf("paused %d times", n)
	}
	w.discord.Look(func(v *discordtest.State) {
		if posts := v.Posts(standup); len(posts) != 0 {
			t.Errorf("%+v", posts)
		}
	})
}

// Somebody who is not linked is told so once and can do nothing.
func TestStrangersCanDoNothing(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	id := w.want("something")
	post := w.discord.Find(w.dms[ada], id.String())
	for _, command := range []string{"/ask Bot hello", "/tasks", "/approvals", "/pause", "/resume", "/help", "/start abc", "/link aaaaa-bbbbb", "@Bot hello", "hello"} {
		words := strings.Fields(strings.TrimPrefix(command, "/"))
		w.discord.Command(mallory, standup, words[0], words[1:]...)
		w.say(mallory, command)
		w.discord.Say(discordtest.Said{User: mallory, In: standup, Text: command})
	}
	for _, label := range []string{"Approve", "Deny", "Show all", "Deny, saying why"} {
		w.press(mallory, post, label)
	}
	w.discord.Submit(mallory, w.form(), "because")
	w.discord.Taken()
	if a, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id}); err != nil || a.State != parley.ApprovalPending {
		t.Errorf("%+v, %v", a, err)
	}
	if n := len(w.events(parley.EventPaused)); n != 0 || w.tasks() != "" {
		t.Errorf("paused %d times, %s", n, w.tasks())
	}
	if list := w.events(parley.EventChatStranger); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	w.discord.Until("an answer, and one to each code", func(v *discordtest.State) bool {
		greeted, invalid := 0, 0
		for _, m := range append(v.Posts(w.dms[mallory]), v.Posts(standup)...) {
			switch {
			case strings.Contains(m.Content, "Hello! I only talk"):
				greeted++
			case strings.Contains(m.Content, "This code is not valid."):
				invalid++
			default:
				t.Errorf("%+v", m)
			}
		}
		return greeted == 1 && invalid == 2
	})
}
