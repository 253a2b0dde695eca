package bridge_test

import (
	"testing"

	"parley"
	"parley/internal/bridge"
)

// A code that others have read links nobody, and neither does one from before another was
// made or the person was unlinked.
func TestCodesThatAreVoid(t *testing.T) {
	w := newWorld(t)
	w.link("Rutger")
	w.run()
	people := bridge.NewPeople(w.store, w.hub.Directory, w.hub.Access)
	code := func() string {
		t.Helper()
		c, err := people.Link(t.Context(), w.as("Ada"), "Ada")
		if err != nil {
			t.Fatal(err)
		}
		return c.Code
	}
	invalid := 0
	refused := func(id, code string) {
		t.Helper()
		w.chat.take(said(id, "@Mallory", "Mallory", code))
		invalid++
		w.chat.until("the refusal", func() bool { return w.chat.count("Mallory", "This code is not valid") == invalid })
	}
	group := code()
	w.chat.take(said("1", "@ada", "C1", "It is "+group+", isn't it?"))
	w.chat.find("C1", "Others have read this code")
	refused("2", group)
	other := code()
	w.chat.take(said("3", "@Rutger", "C1", "/link "+other)) // somebody who is known says it
	w.chat.until("the warning", func() bool { return w.chat.count("C1", "Others have read this code") == 2 })
	refused("4", other)
	older := code()
	newer := code()
	refused("5", older)
	if _, err := people.Unlink(t.Context(), w.as("Ada"), "Ada", ""); err != nil {
		t.Fatal(err)
	}
	refused("6", newer)
	w.chat.take(said("7", "@ada", "Ada", code()))
	w.chat.find("Ada", "You are Ada here now.")
	if list := w.events(parley.EventChatLinked); len(list) != 1 || len(w.events(parley.EventMessage)) != 0 {
		t.Errorf("%+v", list)
	}
}

// What somebody says before being linked is not heard after it, wherever it was said: how far
// a conversation was heard does not depend on who spoke.
func TestPositionsMoveForStrangers(t *testing.T) {
	w := newWorld(t)
	w.channels = map[string]string{"standup": "C1/77"} // a thread; the rest of the chat is read too
	w.run()
	for _, id := range []string{"1", "2", "3"} {
		w.chat.take(said(id, "@Rutger", "C1", "/pause"))
	}
	w.chat.mu.Lock()
	in := w.chat.inbox
	w.chat.mu.Unlock()
	if position, err := in.Position(t.Context(), "C1"); err != nil || position != "3" {
		t.Errorf("%q, %v", position, err)
	}
}
