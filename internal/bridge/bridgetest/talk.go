package bridgetest

import (
	"slices"
	"strings"

	"parley"
)

// A person is linked by a code, talks with the lead, and gets the answer below the question,
// in the program's own form. An answer to a post goes to its author.
func talk(w *World) {
	w.Linked(Ada)
	asked := w.Say(Ada, "Is it done?")
	if got := w.Find(Ada, "really"); got.Raw != w.Is.Answer || got.Answers != asked || got.From != "🤖 Bot" {
		w.Errorf("%+v", got)
	}
	w.Notify(Ada, "I am here.")
	w.Chat.Say(Said{Who: Ada, In: Ada, Text: "Good.", Answers: w.Find(Ada, "I am here.")})
	w.Say(Ada, "@Helper, look at this.")
	w.Chat.Command(Ada, "/ask Helper Are you there?")
	w.Chat.Taken()
	w.Tasks("delegate Good.; delegate look at this.; ask Are you there?")
	if posts := w.Posts(Ada); len(posts) != 3 {
		w.Errorf("%+v", posts)
	}
}

// Whoever answers goes on with whom it is about, also after a restart, when nothing is
// remembered.
func goesOn(w *World) {
	stop := w.Linked(Ada)
	asked := w.Say(Ada, "@Helper paint it")
	w.Chat.Taken()
	tasks, err := w.Hub.Desk.Tasks(w.Context(), w.As("Helper"))
	if err != nil || len(tasks) != 1 {
		w.Fatal(tasks, err)
	}
	w.Must(w.Hub.Contacts.Reply(w.Context(), w.As("Helper"), tasks[0].ID, "Painted."))
	got := w.Find(Ada, "Painted.")
	if got.Answers != asked {
		w.Errorf("%+v", got)
	}
	stop()
	w.Run()
	w.Chat.Say(Said{Who: Ada, In: Ada, Text: "Once more.", Answers: got})
	w.Chat.Taken()
	w.Tasks("delegate Once more.")
}

// What an agent asks of a person has its choices as buttons, and is answered by a button or
// by an answer.
func questions(w *World) {
	w.Linked(Ada)
	first := w.Ask(Ada, "Which colour?\n\n1. red\n2. deep blue")
	w.Press(Ada, w.Find(Ada, "Which colour?"), "2. deep blue")
	w.Find(Ada, "("+first.Task.ID.String()+" is completed.)")
	w.Shown(Ada, "You answered: deep blue")
	second := w.Ask(Ada, "And the size?")
	w.Chat.Say(Said{Who: Ada, In: Ada, Text: "large", Answers: w.Find(Ada, "And the size?")})
	w.Find(Ada, "("+second.Task.ID.String()+" is completed.)")
	for task, want := range map[parley.TaskID]string{first.Task.ID: "deep blue", second.Task.ID: "large"} {
		got, err := w.Hub.Reading.Task(w.Context(), w.As(Ada), task)
		w.Must(err)
		if m, err := w.Hub.Reading.Message(w.Context(), w.As(Ada), got.Result); err != nil || m.Body != want {
			w.Errorf("%q, %v", m.Body, err)
		}
	}
}

// What is said in the program is said in the channel and not posted back; what is said in
// the channel is posted, and answers stand below what they answer, in its thread.
func channel(w *World) {
	w.Linked(Ada)
	answered := func(which func(Post) bool) {
		w.Helper()
		w.Until("an answer", func(v View) bool {
			return slices.ContainsFunc(v.Posts(Standup), func(p Post) bool { return p.Raw == w.Is.Answer && which(p) })
		})
	}
	asked := w.SayAll(Ada, "@Bot is it done?")
	answered(func(p Post) bool { return p.Answers == asked })
	toLead := w.SayAll(Ada, w.Is.Mention+" and now?")
	answered(func(p Post) bool { return p.Answers == toLead })
	w.Post("Helper", "From the hub.")
	w.Post(Rutger, "From a person.")
	for text, from := range map[string]string{"From the hub.": "🤖 Helper", "From a person.": "👤 Rutger"} {
		if p := w.Find(Standup, text); p.From != from || p.Text != text {
			w.Errorf("%+v", p)
		}
	}
	thread := w.Chat.Thread(w.SayAll(Ada, "about the weather"))
	w.Chat.Say(Said{Who: Ada, In: Standup, Text: "@Bot in a thread", Thread: thread})
	answered(func(p Post) bool { return p.Thread == thread })
	w.Chat.Taken()
	if posts := w.Posts(Standup); len(posts) != 5 {
		w.Errorf("%d posts: %+v", len(posts), posts)
	}
	w.SaidOnce("@Bot is it done?", "@Bot and now?", "about the weather", "@Bot in a thread")
}

// Edits and deletions are on record, and an edit is said as a correction, to the same one
// and without a second turn. What else the program does to a message is none, and what bots
// say is nothing at all.
func edits(w *World) {
	stop := w.Linked(Ada)
	id := w.Say(Ada, "@Helper paint it red")
	w.Chat.Taken()
	w.Chat.Touch(Ada, Ada, id)
	w.Chat.Edit(Ada, Ada, id, "@Helper paint it blue")
	w.Chat.Touch(Ada, Ada, id)
	w.Chat.Say(Said{Who: Ada, In: Ada, Text: "@Helper I am a bot", Bot: true})
	w.Chat.Say(Said{Who: Ada, In: Standup, Text: "@Helper I am a bot", Bot: true})
	w.Chat.Taken()
	if n := len(w.Events(parley.EventChatEdited)); n != 1 {
		w.Errorf("%d edits on record", n)
	}
	w.Tasks("delegate paint it red")
	said := w.Said("@Helper")
	if len(said) != 2 || said[0] != "paint it red" || !strings.HasPrefix(said[1], "Correction of msg-") || !strings.HasSuffix(said[1], "paint it blue") {
		w.Errorf("%q", said)
	}
	if chat, ok := w.Chat.(Deleter); ok {
		stop()
		w.Run()
		w.Chat.Taken() // who wrote it is found out again
		chat.Delete(Ada, id)
		asked := w.Say(Ada, "Is it done?")
		w.Find(Ada, "really")
		chat.Delete(Ada, asked)
		chat.Delete(Ada, w.Say(Ada, "@Helper and this"), w.Say(Ada, "@Helper and that"))
		w.Chat.Taken()
		if n := len(w.Events(parley.EventChatDeleted)); n != 4 {
			w.Errorf("%d deletions on record", n)
		}
	}
}

// Commands are answered to whoever gives them, and to nobody else. What is passed on is no
// command.
func commands(w *World) {
	w.Run()
	w.Chat.Taken()
	w.Chat.Command(Ada, "/link "+w.Code(Ada))
	w.Find(Ada, "You are Ada here now.")
	w.Want("something")
	w.Find(Ada, "something")
	w.Ask(Rutger, "Review the <draft>")
	w.Chat.Command(Ada, "/tasks")
	w.Find(Ada, "Rutger, queued: Review the <draft>")
	w.Chat.Command(Ada, "/approvals")
	w.Until("a second post of the approval", func(v View) bool {
		return len(slices.DeleteFunc(v.Posts(Ada), func(p Post) bool { return !strings.Contains(p.Text, "Trainee wants") })) == 2
	})
	w.Chat.Command(Ada, "/pause")
	w.Find(Ada, "The team is paused")
	w.Say(Ada, "/resume")
	w.Find(Ada, "The team goes on.")
	w.Say(Ada, "/frobnicate")
	w.Find(Ada, "There is no command /frobnicate.")
	w.Chat.Command(Ada, "/ask Nobody why?")
	w.Find(Ada, "Nobody")
	w.Chat.Say(Said{Who: Ada, In: Ada, Text: "/pause", Shared: true})
	w.Chat.Taken()
	w.Paused(1)
	if posts := w.Posts(Standup); len(posts) != 0 {
		w.Errorf("%+v", posts)
	}
	w.Shown(Ada, w.Is.Heard)
}
