package discord_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bridge"
	"parley/internal/bridge/discord"
	"parley/internal/bridge/discord/discordtest"
	"parley/internal/contact"
	"parley/internal/model/scripted"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick makes tests short. Nothing depends on these times but how long they take.
var quick = bridge.Timing{Pauses: []time.Duration{time.Millisecond, 5 * time.Millisecond}, Unpaced: true, Limit: 30 * time.Second}

// The people on the server, and a channel that the team has too.
const (
	ada, rutger, mallory = "4001", "4002", "4003"
	standup              = "5001"
)

// world is a team whose native agents work, with a bridge to Discord.
type world struct {
	t       *testing.T
	store   store.Store
	hub     *app.Hub
	team    parley.Team
	people  *bridge.People
	discord *discordtest.Server
	log     *journal
	dms     map[string]string // by user
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
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: st, discord: discordtest.New(), log: &journal{}, dms: map[string]string{}}
	t.Cleanup(w.end)
	for id, name := range map[string]string{ada: "Ada", rutger: "Rutger", mallory: "Mallory\n🤖 Bot"} {
		w.dms[id] = w.discord.Person(id, name)
	}
	w.discord.Channel(standup, "standup")
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

// end closes everything, and looks at what must be so after every test.
func (w *world) end() {
	w.discord.Look(func(v *discordtest.State) {
		for _, p := range v.Problems() {
			w.t.Errorf("Discord was called wrongly: %s", p)
		}
	})
	w.discord.Close()
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
	for _, secret := range []string{discordtest.Token, "token-of-"} {
		if strings.Contains(w.log.String(), secret) {
			w.t.Errorf("%s is in the log: %s", secret, w.log)
		}
	}
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

func (w *world) program() *discord.Program {
	return discord.New(discord.Config{Token: discordtest.Token, API: w.discord.URL, Timing: discord.Timing{Steady: time.Nanosecond, Anew: time.Millisecond}})
}

// bridge makes a bridge that is not running.
func (w *world) bridge() *bridge.Bridge {
	return bridge.New(bridge.Config{Store: w.store, Team: w.team, Contacts: w.hub.Contacts, Reading: w.hub.Reading, Log: w.logger(), Timing: quick,
		Channels: map[string]string{"standup": standup}, Lead: "Bot", Program: w.program()})
}

// run runs a bridge, and waits until it receives.
func (w *world) run() (stop func()) {
	w.t.Helper()
	opened := 0
	w.discord.Look(func(v *discordtest.State) { opened = v.Opened() })
	stop = w.during(w.bridge().Run)
	w.discord.Until("a connection", func(v *discordtest.State) bool { return v.Opened() > opened })
	return stop
}

// link links people. The bridge is running.
func (w *world) link(users ...string) {
	w.t.Helper()
	for _, u := range users {
		name := map[string]string{ada: "Ada", rutger: "Rutger"}[u]
		code, err := w.people.Link(w.t.Context(), w.as("Ada"), name)
		if err != nil {
			w.t.Fatal(err)
		}
		w.say(u, code.Code)
		w.discord.Find(w.dms[u], "You are "+name+" here now.")
	}
}

// say says something to the bot.
func (w *world) say(user, text string) string {
	return w.discord.Say(discordtest.Said{User: user, In: w.dms[user], Text: text})
}

func (w *world) press(user string, m discordtest.Message, label string) {
	w.t.Helper()
	if err := w.discord.Press(user, m, label); err != nil {
		w.t.Fatal(err)
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

// tasks are those of Helper.
func (w *world) tasks() string {
	w.t.Helper()
	list, err := w.hub.Desk.Tasks(w.t.Context(), w.as("Helper"))
	if err != nil {
		w.t.Fatal(err)
	}
	var titles []string
	for _, task := range list {
		titles = append(titles, string(task.Pattern)+" "+task.Title)
	}
	return strings.Join(titles, "; ")
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
