package reading_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/reading"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// team is a hub that runs nobody's turns: people and clients only.
type team struct {
	t     *testing.T
	hub   *app.Hub
	store store.Store
	read  *reading.Service
	id    parley.TeamID
}

func newTeam(t *testing.T) *team {
	t.Helper()
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})
	w := &team{t: t, hub: hub, store: st, read: hub.Reading}
	w.join("Ada", "Bob", "Joiner", "Other")
	return w
}

// join makes these the team. Names of more than three letters are clients.
func (w *team) join(names ...string) {
	w.t.Helper()
	limits := parley.DefaultLimits()
	limits.MessageBytes = 100
	roster := app.Roster{Team: "main"}
	for _, name := range names {
		kind := parley.Person
		if len(name) > 3 {
			kind = parley.Client
		}
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: kind, Limits: limits})
	}
	joined, err := w.hub.Join(w.t.Context(), roster)
	if err != nil {
		w.t.Fatal(err)
	}
	w.id = joined.ID
}

func (w *team) as(name string) access.Caller {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.id, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return access.Caller{Team: w.id, Agent: e.ID}
}

func (w *team) delegate(from, to, text string) contact.Contact {
	w.t.Helper()
	made, err := w.hub.Contacts.Delegate(w.t.Context(), w.as(from), contact.Request{Target: to, Message: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// A client may read what it is part of. A person may read everything.
func TestWhoSeesWhat(t *testing.T) {
	w := newTeam(t)
	ctx := t.Context()
	made := w.delegate("Ada", "Joiner", "Find a rhyme.")
	task, message := made.Task.ID, made.Message
	for name, read := range map[string]func(c access.Caller) error{
		"task":    func(c access.Caller) error { _, err := w.read.Task(ctx, c, task); return err },
		"wait":    func(c access.Caller) error { _, err := w.read.WaitTask(ctx, c, task, 0); return err },
		"tree":    func(c access.Caller) error { _, err := w.read.Tree(ctx, c, task); return err },
		"trace":   func(c access.Caller) error { _, err := w.read.Trace(ctx, c, task); return err },
		"message": func(c access.Caller) error { _, err := w.read.Message(ctx, c, message); return err },
		"thread": func(c access.Caller) error {
			_, err := w.read.Messages(ctx, c, reading.Conversation{Thread: made.Task.Thread, Limit: 10})
			return err
		},
	} {
		for _, who := range []string{"Ada", "Bob", "Joiner"} {
			if err := read(w.as(who)); err != nil {
				t.Errorf("%s reads a %s: %v", who, name, err)
			}
		}
		if err := read(w.as("Other")); parley.KindOf(err) != parley.NotFound {
			t.Errorf("Other reads a %s: %v", name, err)
		}
	}
	pair := func(c access.Caller, of, with string) error {
		_, err := w.read.Threads(ctx, c, of, with)
		return err
	}
	if err := pair(w.as("Other"), "Ada", "Joiner"); parley.KindOf(err) != parley.Denied {
		t.Errorf("Other reads the threads of others: %v", err)
	}
	if err := pair(w.as("Other"), "Ada", "Bob"); parley.KindOf(err) != parley.Denied {
		t.Errorf("Other finds out who has talked: %v", err)
	}
	if err := pair(w.as("Bob"), "Ada", "Joiner"); err != nil {
		t.Errorf("Bob reads the threads of others: %v", err)
	}
}

func TestListsLeaveOutWhatIsNotTheCallers(t *testing.T) {
	w := newTeam(t)
	w.delegate("Ada", "Joiner", "Find a rhyme.")
	w.delegate("Ada", "Other", "Find another.")
	for who, want := range map[string]int{"Ada": 2, "Bob": 2, "Joiner": 1, "Other": 1} {
		list, err := w.read.Tasks(t.Context(), w.as(who), reading.TaskFilter{Limit: 10})
		if len(list) != want || err != nil {
			t.Errorf("%s lists %d, %v", who, len(list), err)
		}
	}
	list, err := w.read.Tasks(t.Context(), w.as("Joiner"), reading.TaskFilter{Agent: "Other", Limit: 10})
	if len(list) != 0 || err != nil {
		t.Errorf("Joiner lists Other's: %v, %v", list, err)
	}
}

// A client may not read what its colleague passes on.
func TestATreeEndsWhereTheCallerIsNoPart(t *testing.T) {
	w := newTeam(t)
	root := w.delegate("Joiner", "Other", "Find a rhyme.").Task.ID
	other := w.as("Other")
	other.Task = root
	if _, err := w.hub.Contacts.Delegate(t.Context(), other, contact.Request{Target: "Bob", Message: "Do you know one?"}); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string]int{"Ada": 2, "Bob": 2, "Other": 2, "Joiner": 1} {
		tree, err := w.read.Tree(t.Context(), w.as(who), root)
		if len(tree) != want || err != nil {
			t.Errorf("%s sees %d tasks, %v", who, len(tree), err)
		}
		arrows, err := w.read.Trace(t.Context(), w.as(who), root)
		if requests := len(arrows) / 2; requests != want || err != nil {
			t.Errorf("%s sees %v, %v", who, arrows, err)
		}
	}
}

func TestALongResultIsReadWhole(t *testing.T) {
	w := newTeam(t)
	task := w.delegate("Ada", "Bob", "Write a poem.").Task.ID
	poem := strings.Repeat("Roses are red. ", 100)
	if err := w.hub.Contacts.Reply(t.Context(), w.as("Bob"), task, poem); err != nil {
		t.Fatal(err)
	}
	got, err := w.read.Task(t.Context(), w.as("Ada"), task)
	if got.Text != poem || err != nil {
		t.Errorf("%d bytes, %v", len(got.Text), err)
	}
	m, err := w.read.Message(t.Context(), w.as("Ada"), got.Result)
	if m.Whole != poem || len(m.Body) >= len(poem) || err != nil {
		t.Errorf("body %d, whole %d, %v", len(m.Body), len(m.Whole), err)
	}
}

func TestAConversationIsReadInPieces(t *testing.T) {
	w := newTeam(t)
	for i := 1; i <= 7; i++ {
		if _, err := w.hub.Contacts.Notify(t.Context(), w.as("Ada"), contact.Request{Target: "Bob", Message: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		before, limit int
		want          []string
	}{
		{0, 100, []string{"1", "2", "3", "4", "5", "6", "7"}},
		{0, 3, []string{"5", "6", "7"}},
		{5, 3, []string{"2", "3", "4"}},
		{2, 3, []string{"1"}},
		{1, 3, nil},
		{100, 2, []string{"6", "7"}},
	} {
		list, err := w.read.Messages(t.Context(), w.as("Bob"), reading.Conversation{With: "ada", Before: c.before, Limit: c.limit})
		var got []string
		for _, m := range list {
			got = append(got, m.Body)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%d before %d: %s %v", c.limit, c.before, diff, err)
		}
	}
	if list, err := w.read.Messages(t.Context(), w.as("Bob"), reading.Conversation{With: "Joiner", Limit: 5}); len(list) != 0 || err != nil {
		t.Errorf("two who have not talked: %v, %v", list, err)
	}
}

func TestTheInboxKeepsWhatWasNotDisplayed(t *testing.T) {
	w := newTeam(t)
	ctx := t.Context()
	first := w.delegate("Ada", "Bob", "Write a poem.")
	w.delegate("Ada", "Bob", "Paint the fence.")
	inbox := func(limit int) (lines []string) {
		list, err := w.read.Inbox(ctx, w.as("Bob"), limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			lines = append(lines, fmt.Sprint(m.Body, " ", m.Asks))
		}
		return lines
	}
	if diff := cmp.Diff([]string{"Write a poem. true"}, inbox(1)); diff != "" {
		t.Error(diff)
	}
	if err := w.hub.Contacts.Cancel(ctx, w.as("Ada"), first.Task.ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Write a poem. false", "Paint the fence. true"}, inbox(10)); diff != "" {
		t.Errorf("a cancelled task still asks: %s", diff)
	}
	// What somebody else says changes nothing.
	if err := w.read.MarkSeen(ctx, w.as("Ada"), []parley.MessageID{first.Message}); err != nil {
		t.Fatal(err)
	}
	if n := len(inbox(10)); n != 2 {
		t.Errorf("%d are left after somebody else's word", n)
	}
	if err := w.read.MarkSeen(ctx, w.as("Bob"), []parley.MessageID{first.Message, 999}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Paint the fence. true"}, inbox(10)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsAskedStaysInTheInboxUntilAnswered(t *testing.T) {
	w := newTeam(t)
	ctx := t.Context()
	for _, who := range []string{"Bob", "Joiner"} {
		var ids []parley.MessageID
		old := w.delegate("Ada", who, "Write a poem.")
		ids = append(ids, old.Message, w.delegate("Ada", who, "Paint the fence.").Message)
		if err := w.read.MarkSeen(ctx, w.as(who), ids); err != nil {
			t.Fatal(err)
		}
		w.delegate("Ada", who, "Sing.")
		inbox := func(limit int) (lines []string) {
			list, err := w.read.Inbox(ctx, w.as(who), limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				lines = append(lines, fmt.Sprint(m.Body, m.Seen))
			}
			return lines
		}
		if who == "Joiner" { // a program keeps what it fetched
			if diff := cmp.Diff([]string{"Sing.false"}, inbox(10)); diff != "" {
				t.Error(diff)
			}
			continue
		}
		if diff := cmp.Diff([]string{"Write a poem.true", "Paint the fence.true", "Sing.false"}, inbox(10)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"Sing.false"}, inbox(1)); diff != "" {
			t.Errorf("what is new comes first: %s", diff)
		}
		if err := w.hub.Contacts.Cancel(ctx, w.as("Ada"), old.Task.ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Paint the fence.true", "Sing.false"}, inbox(10)); diff != "" {
			t.Error(diff)
		}
	}
}

// However much mail there is, what somebody waits for is in the inbox.
func TestMailDoesNotHideWhatIsAsked(t *testing.T) {
	w := newTeam(t)
	ctx := t.Context()
	seen := w.delegate("Ada", "Bob", "Write a poem.")
	if err := w.read.MarkSeen(ctx, w.as("Bob"), []parley.MessageID{seen.Message}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := w.hub.Contacts.Notify(ctx, w.as("Ada"), contact.Request{Target: "Bob", Message: "News."}); err != nil {
			t.Fatal(err)
		}
	}
	w.delegate("Ada", "Bob", "Sing.")
	list, err := w.read.Inbox(ctx, w.as("Bob"), 4)
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprint(m.Body, m.Seen))
	}
	if diff := cmp.Diff([]string{"Write a poem.true", "News.false", "News.false", "Sing.false"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestWhoLeftStillHasAName(t *testing.T) {
	w := newTeam(t)
	made := w.delegate("Bob", "Ada", "Write a poem.")
	w.join("Ada")
	if name := w.read.Name(t.Context(), made.Task.Requester); name != "Bob" {
		t.Errorf("the name is %q", name)
	}
	if name := w.read.Name(t.Context(), 0); name != "" {
		t.Errorf("nobody is called %q", name)
	}
}

func TestFollowingEndsWithTheContext(t *testing.T) {
	w := newTeam(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	err := w.read.Events(ctx, w.as("Ada"), reading.Record{Cursor: reading.Now, Follow: true}, func(parley.Event) error { return nil }, func() error {
		cancel(enough)
		return nil
	})
	if err == nil {
		t.Error("it went on")
	}
	err = w.read.Events(t.Context(), w.as("Ada"), reading.Record{Follow: true}, func(parley.Event) error { return enough }, nil)
	if !errors.Is(err, enough) {
		t.Errorf("the reader's own failure: %v", err)
	}
}

// The store's clock may stand still; a waiter is released all the same.
func TestWaitingEndsThoughTheClockStandsStill(t *testing.T) {
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: func() time.Time { return time.Unix(1_000_000, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})
	w := &team{t: t, hub: hub, store: st, read: hub.Reading}
	w.join("Ada", "Bob")
	made := w.delegate("Ada", "Bob", "Write a poem.")
	task, err := w.read.WaitTask(t.Context(), w.as("Ada"), made.Task.ID, time.Millisecond)
	if task.State != parley.Queued || err != nil {
		t.Errorf("%v, %v", task.State, err)
	}
}

func TestAgents(t *testing.T) {
	w := newTeam(t)
	ctx := t.Context()
	w.delegate("Ada", "Bob", "Look at this.")
	w.join("Ada", "Bob", "Joiner") // Other is gone
	list, err := w.read.Agents(ctx, w.as("Joiner"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range list {
		got = append(got, fmt.Sprintf("%s %s %d", a.Name, a.Status, a.Open.Queued))
	}
	if diff := cmp.Diff([]string{"Ada idle 0", "Bob idle 1", "Joiner sleeping 0"}, got); diff != "" {
		t.Errorf("the team (-want +got):\n%s", diff)
	}
	if bob, err := w.read.Agent(ctx, w.as("Joiner"), "bob"); err != nil || bob != list[1] {
		t.Errorf("Bob: %+v, %v", bob, err)
	}
	for _, name := range []string{"Other", "Nobody"} {
		if a, err := w.read.Agent(ctx, w.as("Ada"), name); parley.KindOf(err) != parley.NotFound {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// An agent that was asked a question sees how it arrived, but not what the others who
// were asked have answered.
func TestWhoWasAskedReadsTheWayToItself(t *testing.T) {
	w := newTeam(t)
	ctx := t.Context()
	asked, err := w.hub.Contacts.Question(ctx, w.as("Ada"), contact.Request{Message: "Why?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Contacts.AnswerQuestion(ctx, w.as("Joiner"), asked.ID, "A secret reason.", ""); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string]int{"Ada": 3, "Bob": 3, "Joiner": 1, "Other": 1} {
		q, err := w.read.Question(ctx, w.as(who), asked.ID)
		if err != nil || len(q.Routes) != want {
			t.Errorf("%s reads %d legs, want %d: %v", who, len(q.Routes), want, err)
		}
		said := false
		for _, r := range q.Routes {
			said = said || r.Said == "A secret reason."
		}
		if may := who != "Other"; said != may {
			t.Errorf("%s reads what Joiner said: %v", who, said)
		}
	}
}
