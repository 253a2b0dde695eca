package bridge_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bridge"
	"parley/internal/bridge/markup"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is a chat program that does what a test says.
type program struct {
	t testing.TB

	mu      sync.Mutex
	changed chan struct{} // closed when something has changed
	posts   []*posted
	asked   []bridge.Post // every call of Post
	edits   int
	inbox   bridge.Inbox
	// post decides about a call: whether the post is made, and the error. settle and edit
	// do the same for theirs. Each may be nil.
	post   func(n int, p bridge.Post) (made bool, err error)
	settle func(p bridge.Post) (bridge.Settled, error)
	edit   func(id string, p bridge.Post) error
}

// posted is a message in the chat.
type posted struct {
	ID   string
	Gone bool
	bridge.Post
}

func newProgram(t testing.TB) *program { return &program{t: t, changed: make(chan struct{})} }

func same(s string) string { return s }

func (p *program) Name() string { return "chat" }

func (p *program) Limits() bridge.Limits {
	form := markup.Form{Escape: same, Bold: same, Italic: same, Strike: same, Quote: same, Code: same, Longest: 400,
		Block: func(_, text string) string { return text }, Link: func(text, address string) string { return text + " " + address }}
	return bridge.Limits{Form: form, Parts: 4}
}

func (p *program) Receive(ctx context.Context, in bridge.Inbox) error {
	in.Up(ctx)
	p.do(func() { p.inbox = in })
	<-ctx.Done()
	p.do(func() { p.inbox = nil })
	return ctx.Err()
}

// do changes something.
func (p *program) do(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *program) Post(_ context.Context, post bridge.Post) (id string, err error) {
	p.do(func() {
		p.asked = append(p.asked, post)
		made := true
		if p.post != nil {
			made, err = p.post(len(p.asked), post)
		}
		if !made {
			return
		}
		for _, one := range p.posts {
			if one.Key == post.Key && p.settle != nil && id == "" && !post.Again {
				id = one.ID // a second one is not made, and the first stays as it is
				return
			}
		}
		id = fmt.Sprint(100 + len(p.posts))
		p.posts = append(p.posts, &posted{ID: id, Post: post})
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

func (p *program) Edit(_ context.Context, id string, post bridge.Post) (err error) {
	p.do(func() {
		p.edits++
		if p.edit != nil {
			err = p.edit(id, post)
		}
		if err != nil {
			return
		}
		for _, one := range p.posts {
			if one.ID == id {
				one.Text, one.Buttons, one.Gone = post.Text, post.Buttons, post.Text == ""
			}
		}
	})
	return err
}

func (p *program) Settle(_ context.Context, post bridge.Post) (s bridge.Settled, err error) {
	p.do(func() {
		if p.settle != nil {
			s, err = p.settle(post)
		}
	})
	return s, err
}

// found is what Settle answers for a post that is there. The lock is held.
func (p *program) found(post bridge.Post) (bridge.Settled, error) {
	for _, one := range p.posts {
		if one.Key == post.Key {
			return bridge.Unknown, &bridge.Found{ID: one.ID}
		}
	}
	return bridge.Absent, nil
}

// all are the messages in the chat, those that are gone left out.
func (p *program) all() (list []posted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.posts {
		if !one.Gone {
			list = append(list, *one)
		}
	}
	return list
}

// patience limits every wait. Only a failing test waits that long.
const patience = 30 * time.Second

// until waits until something is so.
func (p *program) until(what string, is func() bool) {
	p.t.Helper()
	for over := time.After(patience); ; {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if is() {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond): // what is stored says nothing
		case <-over:
			p.t.Fatalf("%s did not happen: %+v", what, p.all())
		}
	}
}

// find waits for a message in a conversation, and returns the last with a text.
func (p *program) find(in, text string) (found posted) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q in %s", text, in), func() bool {
		for _, one := range p.all() {
			if one.To.Conversation == in && strings.Contains(one.Text, text) {
				found = one
			}
		}
		return found.ID != ""
	})
	return found
}

// count is how many messages in a conversation have a text.
func (p *program) count(in, text string) (n int) {
	for _, one := range p.all() {
		if one.To.Conversation == in && strings.Contains(one.Text, text) {
			n++
		}
	}
	return n
}

// take gives an event to the bridge that runs.
func (p *program) take(e bridge.Event) string {
	p.t.Helper()
	var in bridge.Inbox
	p.until("the connection", func() bool { p.mu.Lock(); defer p.mu.Unlock(); in = p.inbox; return in != nil })
	answer, err := in.Take(p.t.Context(), e)
	if err != nil {
		p.t.Fatalf("%+v: %v", e, err)
	}
	return answer
}

// world is a team with a bridge to the program.
type world struct {
	t     *testing.T
	store store.Store
	hub   *app.Hub
	team  parley.Team
	chat  *program
	ahead *atomic.Int64
	// summary, timing and channels are those of the bridge.
	summary  *bridge.Daily
	timing   bridge.Timing
	channels map[string]string
}

// quick makes tests short. Nothing depends on these times but how long they take.
var quick = bridge.Timing{Pauses: []time.Duration{time.Millisecond, 5 * time.Millisecond}, Unpaced: true, Limit: 30 * time.Second}

// joint is a store that other hubs use too.
type joint struct{ store.Store }

func (joint) Shared() bool { return true }

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, chat: newProgram(t), ahead: &atomic.Int64{}, timing: quick, channels: map[string]string{"standup": "C1"}}
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: w.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	w.store = st
	w.hub = app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler), Unindexed: true})
	limits := parley.DefaultLimits()
	limits.Rate, limits.Burst = 1000, 1000
	roster := app.Roster{Team: "main", Person: "Ada", Channels: []app.Channel{{Name: "standup", Members: []string{"*"}}}, Members: []app.Member{
		{Name: "Bot", Kind: parley.Client, Limits: limits}, {Name: "Helper", Kind: parley.Client, Limits: limits},
		{Name: "Trainee", Kind: parley.Client, Limits: limits, Rules: &policy.Rules{Behavior: policy.Supervised}},
		{Name: "Ada", Kind: parley.Person, Limits: limits}, {Name: "Rutger", Kind: parley.Person, Limits: limits},
		{Name: "Guest", Kind: parley.Person, Limits: limits, Rules: &policy.Rules{Behavior: policy.Supervised}}}}
	if w.team, err = w.hub.Join(t.Context(), roster); err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.during(func(ctx context.Context) { _ = w.hub.Run(ctx) })
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// during runs something until the returned function is called, or the test ends.
func (w *world) during(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); run(ctx) }()
	stop = func() { cancel(); <-done }
	w.t.Cleanup(stop)
	return stop
}

func (w *world) bridge() *bridge.Bridge {
	return bridge.New(bridge.Config{Store: w.store, Team: w.team, Contacts: w.hub.Contacts, Reading: w.hub.Reading, Log: slog.New(slog.DiscardHandler),
		Timing: w.timing, Summary: w.summary, Channels: w.channels, Lead: "Bot", Program: w.chat})
}

// run runs a bridge, and waits until it receives.
func (w *world) run() (b *bridge.Bridge, stop func()) {
	w.t.Helper()
	b = w.bridge()
	stop = w.during(b.Run)
	w.chat.until("the connection", func() bool { w.chat.mu.Lock(); defer w.chat.mu.Unlock(); return w.chat.inbox != nil })
	return b, stop
}

func (w *world) update(do func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(w.t.Context(), do); err != nil {
		w.t.Fatal(err)
	}
}

// link links people, whose conversations with the bot have their names.
func (w *world) link(names ...string) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		for _, name := range names {
			tx.PutChatAccount(parley.ChatAccount{Program: "chat", Account: "@" + name, Agent: w.as(name).Agent, Name: name + " of the chat", Conversation: name})
		}
		return nil
	})
}

func (w *world) as(name string) access.Caller {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.team.ID, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return access.Caller{Team: w.team.ID, Agent: e.ID}
}

func (w *world) notify(from, to, text string) contact.Contact {
	w.t.Helper()
	made, err := w.hub.Contacts.Notify(w.t.Context(), w.as(from), contact.Request{Target: to, Message: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// want has somebody want to contact Bot, which needs approval.
func (w *world) want(who, text string) parley.ApprovalID {
	w.t.Helper()
	_, err := w.hub.Contacts.Delegate(w.t.Context(), w.as(who), contact.Request{Target: "Bot", Message: text})
	need, ok := parley.AsNeedsApproval(err)
	if !ok {
		w.t.Fatalf("it needs no approval: %v", err)
	}
	return need.Approval
}

func (w *world) redact(id parley.MessageID) {
	w.t.Helper()
	if _, err := w.hub.Redactions.Redact(w.t.Context(), w.as("Ada"), id, "a secret"); err != nil {
		w.t.Fatal(err)
	}
}

// next are the posts that are to be made next.
func (w *world) next() (list []parley.ChatPost) {
	w.t.Helper()
	if err := w.store.View(w.t.Context(), func(tx *store.Tx) (err error) { list, err = tx.NextChatPosts(w.team.ID, "chat"); return err }); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// events are those on record of a kind.
func (w *world) events(kind parley.EventKind) (list []parley.Event) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(tx *store.Tx) (err error) {
		list, _, err = tx.EventsOf(store.EventFilter{Team: w.team.ID, Kind: string(kind)}, "", 1000)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// said is a message of an account, to the bot alone or in a channel.
func said(id, account, in, text string) bridge.Event {
	return bridge.Event{ID: "said-" + id, Kind: bridge.Said, Account: bridge.Account{ID: account, Name: account}, Place: bridge.Place{Conversation: in},
		Private: !strings.HasPrefix(in, "C"), Message: id, Text: text, Position: id}
}

// again counts how often a post was tried as one that may be there already.
func again(list []bridge.Post) (flags []bool) {
	for _, p := range list {
		flags = append(flags, p.Again)
	}
	return flags
}

func equal(t *testing.T, what string, got, want []bool) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
