package bridge_test

import (
	"testing"

	"parley"
	"parley/internal/bridge"
)

// retire takes a person out of the files, as a hub notices it before any row says so.
func (w *world) retire(name string) {
	w.t.Helper()
	w.hub.Directory.Retire(parley.Agent{ID: w.as(name).Agent, Team: w.team.ID, Name: name, Kind: parley.Person})
}

// Whoever is gone from the files neither acts nor reads in the chat, although the account is
// still linked: no command, no button, no code, and nothing that was on its way.
func TestAPersonWhoIsGoneFromTheFiles(t *testing.T) {
	w := newWorld(t)
	w.link("Ada", "Rutger")
	hold := true
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		if hold && p.To.Conversation == "Rutger" {
			return false, tooEarly
		}
		return true, nil
	}
	b, _ := w.run()
	people := bridge.NewPeople(w.store, w.hub.Directory, w.hub.Access)
	code, err := people.Link(t.Context(), w.as("Rutger"), "Rutger")
	if err != nil {
		t.Fatal(err)
	}
	w.notify("Helper", "Rutger", "on its way")
	w.chat.until("the try", func() bool { next := w.next(); return len(next) == 1 && next[0].Tries > 0 })
	w.retire("Rutger")
	w.chat.until("it is given up", func() bool { return len(w.next()) == 0 }) // a try may be under way
	w.chat.do(func() { hold = false })
	id := w.want("Trainee", "something")
	button := w.chat.find("Ada", id.String()).Buttons[0]
	answer := w.chat.take(bridge.Event{ID: "press", Kind: bridge.Pressed, Account: bridge.Account{ID: "@Rutger"}, Place: bridge.Place{Conversation: "Rutger"}, Private: true, Data: button.Data})
	w.chat.take(said("1", "@Rutger", "Rutger", "/pause"))
	w.chat.take(said("2", "@Rutger", "C1", "Hello, all."))
	w.chat.take(said("3", "@other", "other", code.Code))
	w.chat.find("other", "This code is not valid")
	if answer != "" || len(w.events(parley.EventPaused))+len(w.events(parley.EventApprovalApproved))+len(w.events(parley.EventMessage)) != 1 {
		t.Errorf("it was heard, and answered %q", answer)
	}
	w.chat.until("the end", func() bool { return len(w.next()) == 0 })
	if w.chat.count("Rutger", "") > w.chat.count("Rutger", "I only talk with people of this team") {
		t.Errorf("%+v", w.chat.all())
	}
	if s, err := b.State(t.Context()); err != nil || s.Pending != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
