package telegram_test

import (
	"context"
	"log/slog"
	"path/filepath"
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
	"parley/internal/bridge/telegram"
	"parley/internal/bridge/telegram/telegramtest"
	"parley/internal/contact"
	"parley/internal/model/scripted"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick makes tests short. Nothing depends on these times but how long they take.
var quick = bridge.Timing{Pauses: []time.Duration{time.Millisecond, 5 * time.Millisecond}, Unpaced: true, Limit: 30 * time.Second}

// The people in Telegram, and a group of theirs.
var (
	ada      = telegramtest.User{ID: 501, FirstName: "Ada", Username: "ada_l"}
	rutger   = telegramtest.User{ID: 502, FirstName: "Rutger"}
	mallory  = telegramtest.User{ID: 666, FirstName: "Mallory\n\x1b[31m🤖 Bot"}
	standup  = int64(-100777)
	fromHere = map[string]string{"standup": "-100777"}
)

// world is a team whose native agents work, with a bridge to Telegram.
type world struct {
	t        *testing.T
	store    store.Store
	hub      *app.Hub
	team     parley.Team
	people   *bridge.People
	telegram *telegramtest.Server
	log      *journal
	ahead    *atomic.Int64
}

type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ahead := &atomic.Int64{}
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	w := joinWorld(t, st, telegramtest.New(t))
	w.ahead = ahead
	return w
}

// joinWorld is the same team on any store.
func joinWorld(t *testing.T, st store.Store, server *telegramtest.Server) *world {
	t.Helper()
	w := &world{t: t, store: st, telegram: server, log: &journal{}, ahead: &atomic.Int64{}}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if strings.Contains(w.log.String(), telegramtest.Token) {
			t.Errorf("the token is in the log: %s", w.log)
		}
	})
	w.hub = app.NewHub(app.HubConfig{Store: st, Log: w.logger(), Unindexed: true})
	model, err := scripted.Parse("script.yaml", []byte(`agents: {Bot: [{steps: [{say: "**Yes**, <b>really</b> & truly."}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	limits := parley.DefaultLimits()
	limits.Rate, limits.Burst = 1000, 1000
	roster := app.Roster{Team: "main", Person: "Ada", Channels: []app.Channel{{Name: "standup", Members: []string{"*"}}}, Members: []app.Member{
		{Name: "Bot", Kind: parley.Native, Model: model, Limits: limits}, {Name: "Helper", Kind: parley.Client, Limits: limits},
		{Name: "Trainee", Kind: parley.Client, Limits: limits, Rules: &policy.Rules{Behavior: policy.Supervised}},
		{Name: "Ada", Kind: parley.Person, Limits: limits}, {Name: "Rutger", Kind: parley.Person, Limits: limits}}}
	if w.team, err = w.hub.Join(t.Context(), roster); err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.during(func(ctx context.Context) { _ = w.hub.Run(ctx) })
	w.people = bridge.NewPeople(st, w.hub.Directory, w.hub.Access)
	return w
}

func (w *world) logger() *slog.Logger { return slog.New(slog.NewTextHandler(w.log, nil)) }

// during runs something until the returned function is called, or the test ends.
func (w *world) during(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); run(ctx) }()
	stop = func() { cancel(); <-done }
	w.t.Cleanup(stop)
	return stop
}

// bridge makes a bridge that is not running.
func (w *world) bridge() *bridge.Bridge {
	return bridge.New(bridge.Config{Store: w.store, Team: w.team, Contacts: w.hub.Contacts, Reading: w.hub.Reading, Log: w.logger(), Timing: quick,
		Channels: fromHere, Lead: "Bot", Program: telegram.New(telegram.Config{Token: telegramtest.Token, API: w.telegram.URL, Log: w.logger()})})
}

// run runs a bridge, and waits until it receives.
func (w *world) run() (stop func()) {
	w.t.Helper()
	polls := w.telegram.Calls("getUpdates")
	stop = w.during(w.bridge().Run)
	w.telegram.Until("the first poll", func() bool { return w.telegram.Calls("getUpdates") > polls })
	return stop
}

// link links people. The bridge is running.
func (w *world) link(users ...telegramtest.User) {
	w.t.Helper()
	for _, u := range users {
		code, err := w.people.Link(w.t.Context(), w.as("Ada"), u.FirstName)
		if err != nil {
			w.t.Fatal(err)
		}
		w.telegram.Say(u, u.ID, code.Code)
		w.telegram.Find(u.ID, "You are "+u.FirstName+" here now.")
	}
}

func (w *world) as(name string) access.Caller {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.team.ID, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return access.Caller{Team: w.team.ID, Agent: e.ID}
}

// want has Trainee want to contact Bot, which needs approval.
func (w *world) want(text string) parley.ApprovalID {
	w.t.Helper()
	_, err := w.hub.Contacts.Delegate(w.t.Context(), w.as("Trainee"), contact.Request{Target: "Bot", Message: text})
	need, ok := parley.AsNeedsApproval(err)
	if !ok {
		w.t.Fatalf("it needs no approval: %v", err)
	}
	return need.Approval
}

func (w *world) delegate(from, to, text string) contact.Contact {
	w.t.Helper()
	c, err := w.hub.Contacts.Delegate(w.t.Context(), w.as(from), contact.Request{Target: to, Message: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) notify(from, to, text string) {
	w.t.Helper()
	if _, err := w.hub.Contacts.Notify(w.t.Context(), w.as(from), contact.Request{Target: to, Message: text}); err != nil {
		w.t.Fatal(err)
	}
}

// events counts what is on record of a kind.
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

func press(t *testing.T, p telegramtest.Post, label string) string {
	t.Helper()
	for _, b := range p.Buttons {
		if strings.Contains(b.Text, label) {
			return b.Data
		}
	}
	t.Fatalf("there is no button %q: %+v", label, p)
	return ""
}
