package slack_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge/slack/slacktest"
	"parley/internal/contact"
)

// A person is linked by a code, talks with the lead, and gets the answer below the
// question, in Slack's own form. In a thread they go on with whom it is about.
func TestAPersonTalksWithAgents(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	asked := w.say(ada, "Is it done?")
	got := w.slack.Find(w.dms[ada], "really")
	if got.Text != "*Yes*, &lt;b&gt;really&lt;/b&gt; &amp; truly." || got.ThreadTS != asked || got.Username != "Bot · agent" || got.Icon != ":robot_face:" {
		t.Errorf("%+v", got)
	}
	w.notify("Helper", "Ada", "I am here.")
	hello := w.slack.Find(w.dms[ada], "I am here.")
	w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "Good &amp; well.", Thread: hello.TS})
	w.say(ada, "@Helper, look at this.")
	w.slack.Command(ada, "C0ELSEWHERE", "/ask", "Helper Are you there?")
	w.slack.Taken()
	if got := w.tasks(); got != "delegate Good & well.; delegate look at this.; ask Are you there?" {
		t.Errorf("Helper has %q", got)
	}
	w.slack.Look(func(v *slacktest.State) {
		if posts := v.Posts(w.dms[ada]); len(posts) != 3 {
			t.Errorf("%+v", posts)
		}
		if shown := v.Shown(); len(shown) != 1 || shown[0].Text != "I answer by direct message." {
			t.Errorf("%+v", shown)
		}
	})
}

// Whoever answers in a thread answers the newest post of the bot there, also after a
// restart, when nothing is remembered.
func TestAThreadGoesOnWithTheSameAgent(t *testing.T) {
	w := newWorld(t)
	stop := w.run()
	w.link(ada)
	asked := w.say(ada, "@Helper paint it")
	w.slack.Taken()
	tasks, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper"))
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	if err := w.hub.Contacts.Reply(t.Context(), w.as("Helper"), tasks[0].ID, "Painted."); err != nil {
		t.Fatal(err)
	}
	if got := w.slack.Find(w.dms[ada], "Painted."); got.ThreadTS != asked {
		t.Errorf("%+v", got)
	}
	stop()
	w.run()
	w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "Once more.", Thread: asked})
	w.slack.Taken()
	if got := w.tasks(); got != "delegate Once more." {
		t.Errorf("Helper has %q", got)
	}
}

// An approval has buttons that are bound to the call. Whoever decides first decides, and
// everybody sees it in place. A reason is asked for by a form.
func TestApprovalsAreDecidedByButtons(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada, rutger)
	id := w.want("rm -rf <everything>")
	post, other := w.slack.Find(w.dms[ada], id.String()), w.slack.Find(w.dms[rutger], id.String())
	if !strings.Contains(post.Text, "Trainee wants to contact Bot.") || !strings.Contains(post.Text, "rm -rf &lt;everything&gt;") || post.Username != "" {
		t.Errorf("%+v", post)
	}
	w.press(ada, post, "Show all")
	w.slack.Find(w.dms[ada], `"message"`)
	w.press(ada, post, "Approve")
	for _, dm := range []string{w.dms[ada], w.dms[rutger]} {
		if p := w.slack.Find(dm, "It was approved by Ada."); len(p.Buttons()) > 0 || p.WasUpdated != 1 {
			t.Errorf("%+v", p)
		}
	}
	// Another decision is too late, and changes nothing. The button is one that was on the
	// screen still.
	w.slack.Restore(other)
	w.press(rutger, other, "Deny")
	w.shown(rutger, "was approved by Ada already")

	id = w.want("another thing")
	post = w.slack.Find(w.dms[rutger], "another thing")
	w.press(rutger, post, "Deny, saying why")
	var form slacktest.View
	w.slack.Until("a form", func(v *slacktest.State) bool {
		if list := v.Views(); len(list) > 0 {
			form = list[0]
		}
		return form.ID != ""
	})
	w.slack.Submit(rutger, form, "Not on a Friday.")
	w.slack.Submit(rutger, form, "Not on a Friday.") // Slack may repeat it
	w.slack.Find(w.dms[ada], "It was denied by Rutger: Not on a Friday.")
	a, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id})
	if err != nil || a.State != parley.ApprovalDenied || a.Comment != "Not on a Friday." {
		t.Errorf("%+v, %v", a, err)
	}
	// One that was decided elsewhere changes in place too.
	id = w.want("a third thing")
	w.slack.Find(w.dms[ada], "a third thing")
	if _, err := w.hub.Contacts.Deny(t.Context(), w.as("Rutger"), parley.ApprovalRef{ID: id}, ""); err != nil {
		t.Fatal(err)
	}
	w.slack.Find(w.dms[ada], id.String(), "It was denied by Rutger.")
	w.slack.Taken()
}

// shown waits for something that was shown to a user for a moment.
func (w *world) shown(user, text string) {
	w.t.Helper()
	w.slack.Until(text, func(v *slacktest.State) bool {
		for _, m := range v.Shown() {
			if m.User == user && strings.Contains(m.Text, text) {
				return true
			}
		}
		return false
	})
}

// What an agent asks of a person has its choices as buttons, and is answered by a button
// or in its thread.
func TestQuestionsAreAnswered(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	first := w.delegate("Helper", "Ada", "Which colour?\n\n1. red\n2. deep blue")
	w.press(ada, w.slack.Find(w.dms[ada], "Which colour?"), "2. deep blue")
	w.slack.Find(w.dms[ada], "("+first.Task.ID.String()+" is completed.)")
	w.shown(ada, "You answered: deep blue")
	second := w.delegate("Helper", "Ada", "And the size?")
	post := w.slack.Find(w.dms[ada], "And the size?")
	w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "large", Thread: post.TS})
	w.slack.Find(w.dms[ada], "("+second.Task.ID.String()+" is completed.)")
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

// A channel is the same on both sides: what is said in Slack is said in the channel and
// not posted back; what is said in the channel is posted, and answers stand in a thread.
func TestAChannelIsMapped(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	asked := w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "@Bot is it done?"})
	if got := w.slack.Find(standup, "really"); got.ThreadTS != asked {
		t.Errorf("%+v", got)
	}
	toLead := w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "<@" + slacktest.BotUser + "> and now?"})
	inThread := func(ts string) {
		w.slack.Until("an answer in the thread", func(v *slacktest.State) bool {
			for _, p := range v.Posts(standup) {
				if p.ThreadTS == ts {
					return true
				}
			}
			return false
		})
	}
	inThread(toLead)
	for author, text := range map[string]string{"Helper": "From the hub.", "Rutger": "From a person."} {
		if _, err := w.hub.Contacts.Post(t.Context(), w.as(author), contact.Post{Channel: "standup", Message: text}); err != nil {
			t.Fatal(err)
		}
	}
	if m := w.slack.Find(standup, "From the hub."); m.Username != "Helper · agent" {
		t.Errorf("%+v", m)
	}
	if m := w.slack.Find(standup, "From a person."); m.Username != "Rutger · person" {
		t.Errorf("%+v", m)
	}
	// In a thread the answer stands there.
	parent := w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "about the weather"})
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "@Bot in a thread", Thread: parent})
	inThread(parent)
	w.slack.Taken()
	w.slack.Look(func(v *slacktest.State) {
		if posts := v.Posts(standup); len(posts) != 5 {
			t.Errorf("%d posts: %+v", len(posts), posts)
		}
	})
}

// Edits and deletions are on record; an edit is said as a correction. What Slack itself
// does to a message is none, and the posts of bots are nothing at all.
func TestEditsAndDeletionsAreRecorded(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	ts := w.say(ada, "@Helper paint it red")
	w.slack.Unfurl(w.dms[ada], ts)
	w.slack.Edit(w.dms[ada], ts, "@Helper paint it blue")
	w.slack.Delete(w.dms[ada], ts)
	answered := w.say(ada, "Is it done?")
	w.slack.Find(w.dms[ada], "really")
	w.slack.Delete(w.dms[ada], answered)
	w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Text: "@Helper I am a bot", Bot: "B0OTHER"})
	w.slack.Taken()
	if edits, deletions := w.events(parley.EventChatEdited), w.events(parley.EventChatDeleted); len(edits) != 1 || len(deletions) != 2 {
		t.Errorf("%+v, %+v", edits, deletions)
	}
	said, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "@Helper", 0, 10)
	if err != nil || len(said.Messages) != 2 || said.Messages[0].Body != "paint it red" ||
		!strings.HasPrefix(said.Messages[1].Body, "Correction of msg-") || !strings.HasSuffix(said.Messages[1].Body, "paint it blue") {
		t.Errorf("%+v, %v", said, err)
	}
}

// The commands do what the use cases do, and answer by direct message.
func TestCommands(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	w.want("something")
	w.slack.Find(w.dms[ada], "something")
	w.delegate("Helper", "Rutger", "Review the <draft>")
	w.slack.Command(ada, standup, "/tasks", "")
	w.slack.Find(w.dms[ada], "Rutger, queued: Review the &lt;draft&gt;")
	w.slack.Command(ada, w.dms[ada], "/approvals", "")
	w.slack.Until("a second post of the approval", func(v *slacktest.State) bool {
		n := 0
		for _, p := range v.Posts(w.dms[ada]) {
			if strings.Contains(p.Text, "Trainee wants") {
				n++
			}
		}
		return n == 2
	})
	w.slack.Command(ada, standup, "/pause", "")
	w.slack.Find(w.dms[ada], "The team is paused")
	w.say(ada, "/resume")
	w.slack.Find(w.dms[ada], "The team goes on.")
	w.slack.Command(ada, standup, "/ask", "Nobody why?")
	w.slack.Find(w.dms[ada], "Nobody")
	w.slack.Say(slacktest.Said{User: ada, In: w.dms[ada], Shared: "/pause"})
	w.slack.Taken()
	if n := len(w.events(parley.EventPaused)); n != 1 {
		t.Errorf("paused %d times", n)
	}
	w.slack.Look(func(v *slacktest.State) {
		if posts := v.Posts(standup); len(posts) != 0 {
			t.Errorf("%+v", posts)
		}
	})
}

// Somebody who is not linked, or whose account is one of another workspace, is told so
// once and can do nothing.
func TestStrangersCanDoNothing(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	id := w.want("something")
	post := w.slack.Find(w.dms[ada], id.String())
	for i, command := range []string{"/ask Bot hello", "/tasks", "/approvals", "/pause", "/resume", "/help", "/start abc", "/link aaaaa-bbbbb", "@Bot hello", "hello"} {
		name, rest, _ := strings.Cut(command, " ")
		w.slack.Command(mallory, standup, name, rest)
		w.say(mallory, command)
		w.slack.Say(slacktest.Said{User: mallory, In: standup, Text: command})
		w.slack.Say(slacktest.Said{User: ada, In: standup, Text: fmt.Sprintf("@Helper %d %s", i, command), Team: "T0OTHER"})
	}
	for _, label := range []string{"Approve", "Deny", "Show all", "Deny, saying why"} {
		w.press(mallory, post, label)
	}
	var form slacktest.View
	w.slack.Until("a form", func(v *slacktest.State) bool {
		if list := v.Views(); len(list) > 0 {
			form = list[0]
		}
		return form.ID != ""
	})
	w.slack.Submit(mallory, form, "because")
	w.slack.Taken()
	if a, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id}); err != nil || a.State != parley.ApprovalPending {
		t.Errorf("%+v, %v", a, err)
	}
	if n := len(w.events(parley.EventPaused)); n != 0 || w.tasks() != "" {
		t.Errorf("paused %d times, %s", n, w.tasks())
	}
	if list := w.events(parley.EventChatStranger); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	greeted, invalid := 0, 0
	w.slack.Until("an answer to each account and to each code", func(v *slacktest.State) bool {
		greeted, invalid = 0, 0
		for _, m := range append(v.Posts(w.dms[mallory]), v.Posts(standup)...) {
			switch {
			case strings.HasPrefix(m.Text, "Hello! I only talk"):
				greeted++
			case strings.HasPrefix(m.Text, "This code is not valid."):
				invalid++
			default:
				t.Errorf("%+v", m)
			}
		}
		return greeted >= 2 && invalid >= 2
	})
	if greeted != 2 || invalid != 2 {
		t.Errorf("greeted %d times, and refused %d codes", greeted, invalid)
	}
}
