package bridge_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bridge"
	"parley/internal/contact"
	"parley/internal/store"
)

// changed is that a message was edited or deleted.
func changed(kind bridge.EventKind, id, account, in, message, text string) bridge.Event {
	e := said(id, account, in, text)
	e.Kind, e.Message, e.Position = kind, message, ""
	return e
}

// What its author edits or deletes in the chat is on record as such, once. What was said
// stays, and nobody else's doing is taken for the author's.
func TestEditsAndDeletionsAreRecorded(t *testing.T) {
	w := newWorld(t)
	w.link("Ada", "Rutger")
	w.run()
	w.chat.take(said("1", "@Ada", "Ada", "@Helper paint it red"))
	w.chat.take(said("2", "@Ada", "C1", "Good morning."))
	for range 2 {
		w.chat.take(changed(bridge.Edited, "e1", "@Ada", "Ada", "1", "@Helper paint it blue"))
		w.chat.take(changed(bridge.Edited, "e2", "@Ada", "C1", "2", "Good evening, @Bot."))
		w.chat.take(changed(bridge.Deleted, "d1", "@Ada", "Ada", "1", ""))
		w.chat.take(changed(bridge.Deleted, "d2", "@Ada", "C1", "2", ""))
	}
	w.chat.take(changed(bridge.Edited, "e3", "@Rutger", "C1", "2", "I never said that."))
	w.chat.take(changed(bridge.Deleted, "d3", "@Rutger", "C1", "2", ""))
	w.chat.take(changed(bridge.Deleted, "d4", "@Mallory", "C1", "2", ""))
	w.chat.take(changed(bridge.Deleted, "d5", "@Ada", "Ada", "77", ""))
	direct, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "@Helper", 0, 10)
	if err != nil || len(direct.Messages) != 2 || direct.Messages[0].Body != "paint it red" || !strings.HasSuffix(direct.Messages[1].Body, "paint it blue") {
		t.Fatalf("%+v, %v", direct.Messages, err)
	}
	channel, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "standup", 0, 10)
	if err != nil || len(channel.Messages) != 2 || channel.Messages[0].Body != "Good morning." || !strings.HasPrefix(channel.Messages[1].Body, "Correction of "+channel.Messages[0].ID.String()) {
		t.Fatalf("%+v, %v", channel.Messages, err)
	}
	for _, kind := range []parley.EventKind{parley.EventChatEdited, parley.EventChatDeleted} {
		list := w.events(kind)
		if len(list) != 2 || list[0].Message != direct.Messages[0].ID || list[1].Message != channel.Messages[0].ID || list[0].Actor != w.as("Ada").Agent || list[0].Detail != "in chat" {
			t.Errorf("%s: %+v", kind, list)
		}
	}
	if n := len(w.events(parley.EventTask)); n != 1 {
		t.Errorf("%d tasks: a correction has started a turn", n)
	}
}

// An account that is not linked is refused once a day, however often its events come and
// the bridge begins anew. What it says in a channel before it is linked is never heard.
func TestARefusalADay(t *testing.T) {
	w := newWorld(t)
	_, stop := w.run()
	say := func() {
		w.chat.take(said("1", "@Rutger", "Rutger", "Hello?"))
		w.chat.take(said("2", "@Rutger", "Rutger", "/pause"))
		w.chat.take(said("3", "@Rutger", "C1", "Does anybody hear me?"))
	}
	refused := func(want int) {
		t.Helper()
		w.chat.until("the refusal", func() bool {
			return w.chat.count("Rutger", "I only talk with people of this team") >= want && len(w.next()) == 0
		})
		if posts, events := len(w.chat.all()), len(w.events(parley.EventChatStranger)); posts != want || events != want {
			t.Errorf("%d posts and %d records, want %d", posts, events, want)
		}
	}
	say()
	refused(1)
	stop()
	_, stop = w.run()
	say()
	refused(1)
	// What was dealt with in the channel is known, also a day later.
	w.ahead.Store(int64(25 * time.Hour))
	stop()
	w.run()
	w.chat.take(said("3", "@Rutger", "C1", "Does anybody hear me?"))
	refused(1)
	w.chat.take(said("4", "@Rutger", "Rutger", "And today?"))
	refused(2)
	w.link("Rutger")
	w.chat.take(said("3", "@Rutger", "C1", "Does anybody hear me?"))
	w.chat.take(said("5", "@Rutger", "C1", "Now they do."))
	channel, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "standup", 0, 10)
	if err != nil || len(channel.Messages) != 1 || channel.Messages[0].Body != "Now they do." {
		t.Errorf("%+v, %v", channel.Messages, err)
	}
	err = w.store.View(t.Context(), func(tx *store.Tx) error {
		position, err := tx.ChatPosition(w.team.ID, "chat", "C1")
		if position != "5" {
			t.Errorf("position %q", position)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Whoever is unlinked is not heard and reads nothing more from that moment on: what is to
// be posted is not, and what would change in posts is taken away instead.
func TestUnlinkingAtOnce(t *testing.T) {
	w := newWorld(t)
	w.link("Ada", "Rutger")
	hold := true
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		if hold && strings.Contains(p.Text, "Do not post this") {
			return false, tooEarly
		}
		return true, nil
	}
	w.run()
	id := w.want("Trainee", "something")
	w.chat.find("Ada", id.String())
	w.chat.find("Rutger", id.String())
	w.notify("Helper", "Rutger", "Do not post this")
	w.chat.until("the try", func() bool { return len(w.next()) == 1 && w.next()[0].Tries > 0 })
	people := bridge.NewPeople(w.store, w.hub.Directory, w.hub.Access)
	if gone, err := people.Unlink(t.Context(), w.as("Ada"), "Rutger", "other"); err != nil || len(gone) != 0 {
		t.Errorf("in another program: %+v, %v", gone, err)
	}
	if _, err := people.Unlink(t.Context(), w.as("Rutger"), "Ada", ""); parley.KindOf(err) != parley.Denied {
		t.Errorf("Rutger unlinks Ada: %v", err)
	}
	if gone, err := people.Unlink(t.Context(), w.as("Ada"), "Rutger", "chat"); err != nil || len(gone) != 1 || gone[0].Person != "Rutger" {
		t.Fatalf("%+v, %v", gone, err)
	}
	w.chat.do(func() { hold = false })
	if answer := w.chat.take(bridge.Event{ID: "press", Kind: bridge.Pressed, Account: bridge.Account{ID: "@Rutger"}, Place: bridge.Place{Conversation: "Rutger"}, Private: true,
		Data: "approve " + id.String()}); answer != "" {
		t.Errorf("answered %q", answer)
	}
	w.chat.take(said("1", "@Rutger", "Rutger", "/pause"))
	if n := len(w.events(parley.EventPaused)); n != 0 {
		t.Error("it was heard")
	}
	if _, err := w.hub.Contacts.Deny(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id}, "for reasons"); err != nil {
		t.Fatal(err)
	}
	w.chat.find("Ada", "It was denied by Ada: for reasons.")
	w.chat.until("that Rutger's is taken away", func() bool { return w.chat.count("Rutger", id.String()) == 0 })
	if w.chat.count("Rutger", "reasons") > 0 {
		t.Errorf("%+v", w.chat.all())
	}
	w.chat.until("that what was on its way is taken away", func() bool { return w.chat.count("Rutger", "Do not post this") == 0 })
	if list := w.events(parley.EventChatUnlinked); len(list) != 1 || list[0].Detail != "chat account @Rutger (Rutger of the chat)" {
		t.Errorf("%+v", list)
	}
}

// Approvals are posted to those who may decide about them.
func TestApprovalsGoToThoseWhoDecide(t *testing.T) {
	w := newWorld(t)
	w.link("Ada", "Guest")
	w.run()
	own := parley.Approval{Team: w.team.ID, Agent: w.as("Guest").Agent, Tool: "write_file", Args: `{"path":"a"}`, Digest: strings.Repeat("ab", 32)}
	w.update(func(tx *store.Tx) error {
		own.ExpiresAt = tx.Now.Add(time.Hour)
		tx.InsertApproval(&own)
		tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventApprovalRequested, Actor: own.Agent, Detail: own.ID.String() + ": write_file"})
		return nil
	})
	id := own.ID
	w.chat.find("Ada", id.String())
	w.notify("Helper", "Guest", "after it")
	w.chat.find("Guest", "after it")
	if n := w.chat.count("Guest", id.String()); n != 0 {
		t.Errorf("Guest is asked about what Guest wants: %+v", w.chat.all())
	}
	second := w.want("Trainee", "And I?")
	w.chat.find("Ada", second.String())
	if post := w.chat.find("Guest", second.String()); len(post.Buttons) == 0 {
		t.Errorf("%+v", post)
	}
}

// What a person sees is sent to that person alone, also if it is asked for in a channel.
func TestCommandsInAChannelAreAnsweredAlone(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.run()
	if _, err := w.hub.Contacts.Delegate(t.Context(), w.as("Helper"), contact.Request{Target: "Rutger", Message: "Review the draft"}); err != nil {
		t.Fatal(err)
	}
	id := w.want("Trainee", "something")
	w.chat.find("Ada", id.String())
	w.chat.take(said("1", "@Ada", "C1", "/tasks"))
	w.chat.find("Ada", "Review the draft")
	w.chat.find("C1", "by direct message")
	w.chat.take(said("2", "@Ada", "C1", "/approvals"))
	w.chat.until("a second post of the approval", func() bool { return w.chat.count("Ada", id.String()) == 2 })
	w.chat.until("all", func() bool { return len(w.next()) == 0 })
	if n := w.chat.count("C1", ""); n != 2 || w.chat.count("C1", "draft")+w.chat.count("C1", id.String()) > 0 {
		t.Errorf("%+v", w.chat.all())
	}
}

// secret is long enough to be looked for everywhere.
const secret = "the password is hunter2, do not tell"

// What is redacted is taken out of everything that a bridge has stored and posted: copies,
// calls that were decided about, lists of tasks, what it is about to say, and names.
func TestRedactionFindsWhatBridgesHave(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	_, stop := w.run()
	first := w.notify("Helper", "Ada", secret)
	w.notify("Helper", "Ada", secret)
	w.chat.until("both", func() bool { return w.chat.count("Ada", "hunter2") == 2 })
	if _, err := w.hub.Contacts.Delegate(t.Context(), w.as("Helper"), contact.Request{Target: "Rutger", Message: secret}); err != nil {
		t.Fatal(err)
	}
	w.chat.take(said("1", "@Ada", "Ada", "/tasks"))
	w.chat.until("the list", func() bool { return w.chat.count("Ada", "hunter2") == 3 })
	w.chat.take(said("2", "hunter: "+secret, "Mallory", "Hello."))
	w.chat.find("Mallory", "I only talk with people")
	stop()
	w.update(func(tx *store.Tx) error {
		tx.PutChatAccount(parley.ChatAccount{Program: "chat", Account: "@Rutger", Agent: w.as("Rutger").Agent, Name: secret, Conversation: "Rutger"})
		tx.InsertChatPost(parley.ChatPost{Team: w.team.ID, Program: "chat", Key: "k", Kind: parley.ChatNote, Conversation: "Ada", Agent: w.as("Ada").Agent, Text: "You said: " + secret})
		return nil
	})
	w.redact(first.Message)
	w.run()
	w.chat.find("Ada", "You said: ")
	w.chat.until("that it is nowhere", func() bool { return w.chat.count("Ada", "hunter2") == 0 })
	err := w.store.View(t.Context(), func(tx *store.Tx) error {
		list, err := tx.ChatAccounts(w.team.ID)
		for _, a := range list {
			if strings.Contains(a.Name, "hunter2") {
				t.Errorf("%+v", a)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if list := w.events(parley.EventChatStranger); len(list) != 1 || strings.Contains(list[0].Detail, "hunter2") {
		t.Errorf("%+v", list)
	}
}

// What a program says about a post that it refuses may quote it, and is on record.
func TestRedactionOfARefusal(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.chat.post = func(int, bridge.Post) (bool, error) {
		return false, &bridge.Failure{Reason: "cannot read: " + secret, Refused: true}
	}
	b, _ := w.run()
	made := w.notify("Helper", "Ada", secret)
	if list := w.givenUp(b, 1); len(list) != 1 || !strings.Contains(list[0].Detail, "hunter2") {
		t.Fatalf("%+v", list)
	}
	w.redact(made.Message)
	if list := w.events(parley.EventChatGivenUp); len(list) != 1 || strings.Contains(list[0].Detail, "hunter2") {
		t.Errorf("%+v", list)
	}
}

// A call that was decided about is redacted in the chat too.
func TestRedactionOfADecidedCall(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.run()
	id := w.want("Trainee", secret)
	post := w.chat.find("Ada", "hunter2")
	a, err := w.hub.Contacts.Approve(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	w.chat.until("the decision", func() bool { return w.chat.count("Ada", "It was approved") == 1 })
	w.chat.until("that it is made", func() bool {
		got, err := w.hub.Reading.Approval(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: id})
		a.Message = got.Message
		return err == nil && got.Message != 0
	})
	w.redact(a.Message)
	w.chat.until("that "+post.ID+" does not say it", func() bool { return w.chat.count("Ada", "hunter2") == 0 })
	w.chat.find("Ada", "It was approved by Ada.")
}
