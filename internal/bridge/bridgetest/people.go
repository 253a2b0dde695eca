package bridgetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// Whatever somebody tries who is not linked, nothing happens. It is on record once.
func strangers(w *World) {
	w.Linked(Ada)
	id := w.Want("something")
	post := w.Find(Ada, id.String())
	for _, text := range []string{"Hello", "/ask Bot who are you?", "/tasks", "/approvals", "/pause", "/resume", "/help", "/start", "/start abc", "@Bot do it", "@Helper do it", "approve " + id.String(), "<b>", "🤖 Bot"} {
		w.Chat.Edit(Mallory, Mallory, w.Say(Mallory, text), "@Helper "+text)
		w.SayAll(Mallory, text)
		if strings.HasPrefix(text, "/") {
			w.Chat.Command(Mallory, text)
		}
	}
	for _, label := range []string{"Approve", "Deny", "Show all", "Deny, saying why"} {
		w.Press(Mallory, post, label)
	}
	w.Press(Ada, post, "Deny, saying why")
	w.Chat.Submit(Mallory, "because")
	w.Chat.Taken()
	w.Decided(id, parley.ApprovalPending, "")
	w.Paused(0)
	w.Tasks("")
	if n := len(w.Events(parley.EventTask)) + len(w.Events(parley.EventMessage)); n != 0 {
		w.Errorf("it has done %d things", n)
	}
	events := w.Events(parley.EventChatStranger)
	if len(events) != 1 || events[0].Detail != w.program()+" account "+w.Is.Accounts[Mallory]+" (Mallory [31m🤖 Bot) is not linked" {
		w.Errorf("%+v", events)
	}
	w.pending(0)
	w.Later(25 * time.Hour)
	w.Say(Mallory, "It is another day")
	w.Until("a word for each day", func(v View) bool { return len(v.Posts(Mallory)) >= 2 })
	if posts := slices.Concat(w.Posts(Mallory), w.Posts(Standup)); len(posts) != 2 {
		w.Errorf("%+v", posts)
	}
}

// Strangers are told once a day, kindly, and may try five codes a day, however well they
// look.
func strangersByDay(w *World) {
	w.Run()
	w.Say(Mallory, "Hello")
	w.Find(Mallory, "Hello!")
	w.Say(Mallory, "Hello?")
	for i := range 8 {
		w.Say(Mallory, fmt.Sprintf("abcde-fgh%d%d", 2+i%5, 3))
	}
	w.Chat.Command(Mallory, "/link aaaaa-bbbbb")
	w.Chat.Taken()
	w.pending(0)
	w.Later(25 * time.Hour)
	w.Say(Mallory, "It is another day") // what is answered to it comes last
	hello, invalid := "Hello! I only talk with people of this team", "This code is not valid."
	want := []string{hello, invalid, invalid, invalid, invalid, invalid, hello}
	w.Until("all answers", func(v View) bool { return len(v.Posts(Mallory)) >= len(want) })
	var got []string
	for _, p := range w.Posts(Mallory) {
		got = append(got, p.Text)
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		w.Errorf("%q", got)
	}
}

// People make codes for themselves, and who runs the hub for anybody. What others have read,
// what was used and what is old links nobody.
func linking(w *World) {
	w.Run()
	for _, c := range []struct {
		who, whom string
		want      parley.Kind
	}{{Rutger, Ada, parley.Denied}, {"Helper", Ada, parley.Denied}, {Ada, "Bot", parley.Invalid}} {
		if _, err := w.People.Link(w.Context(), w.As(c.who), c.whom); parley.KindOf(err) != c.want {
			w.Errorf("%s links as %s: %v", c.who, c.whom, err)
		}
	}
	code := w.Code(Rutger)
	w.SayAll(Mallory, code)
	w.Find(Standup, "Others have read this code")
	w.Say(Rutger, code)
	w.Find(Rutger, "This code is not valid.")
	code = w.Code(Rutger)
	w.Say(Rutger, "/start "+strings.ToUpper(code))
	w.Find(Rutger, "You are Rutger here now.")
	w.Say(Mallory, code)
	w.Find(Mallory, "This code is not valid.")
	w.Say(Rutger, code)
	w.Find(Rutger, "You are Rutger here already.")
	old := w.Code(Ada)
	w.Later(11 * time.Minute)
	w.Say(Ada, old)
	w.Find(Ada, "This code is not valid.")
}

// Who is unlinked is a stranger, and gets nothing that was still to be posted.
func unlinking(w *World) {
	w.Linked(Rutger)
	w.Chat.Fail(slices.Repeat([]Fault{Limited}, 1000)...)
	w.Notify(Rutger, "Do not post this")
	w.pending(1)
	gone, err := w.People.Unlink(w.Context(), w.As(Rutger), Rutger, "")
	if err != nil || len(gone) != 1 || gone[0].Account != w.Is.Accounts[Rutger] {
		w.Errorf("%+v, %v", gone, err)
	}
	w.Chat.Fail()
	w.Say(Rutger, "/pause")
	w.Find(Rutger, "I only talk with people")
	w.Paused(0)
	w.Gone("Do not post this")
}

func (w *World) program() string { return w.Chat.Program(w.logger()).Name() }

// pending waits until posts to so many conversations are still to be made.
func (w *World) pending(want int) {
	w.Helper()
	for over := time.After(time.Minute); ; {
		var next []parley.ChatPost
		w.Must(w.Store.View(w.Context(), func(tx *store.Tx) (err error) { next, err = tx.NextChatPosts(w.team.ID, w.program()); return err }))
		if len(next) == want {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond): // nobody says what is stored
		case <-over:
			w.Fatalf("%+v is to be posted", next)
		}
	}
}
