package bridgetest

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bridge"
	"parley/internal/contact"
	"parley/internal/model/scripted"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// World is a team whose native agents work, with a chat program that a bridge can be run to.
type World struct {
	*testing.T
	Chat   Chat
	Store  store.Store
	Hub    *app.Hub
	People *bridge.People
	Is     Traits
	team   parley.Team
	log    journal
	ahead  atomic.Int64
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// New makes a team. Bot answers **Yes**, <b>really</b> & truly. to everything.
func New(t *testing.T, chat Chat) *World {
	t.Helper()
	w := &World{T: t, Chat: chat, Is: chat.Traits()}
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }})
	w.Must(err)
	w.Store = st
	t.Cleanup(w.end)
	w.Hub = app.NewHub(app.HubConfig{Store: st, Log: w.logger(), Unindexed: true})
	model, err := scripted.Parse("script.yaml", []byte(`agents: {Bot: [{steps: [{say: "**Yes**, <b>really</b> & truly."}]}]}`))
	w.Must(err)
	limits := parley.DefaultLimits()
	limits.Rate, limits.Burst = 1000, 1000
	w.team, err = w.Hub.Join(t.Context(), app.Roster{Team: "main", Person: Ada, Channels: []app.Channel{{Name: Standup, Members: []string{"*"}}}, Members: []app.Member{
		{Name: "Bot", Kind: parley.Native, Model: model, Limits: limits}, {Name: "Helper", Kind: parley.Client, Limits: limits},
		{Name: "Trainee", Kind: parley.Client, Limits: limits, Rules: &policy.Rules{Behavior: policy.Supervised}},
		{Name: Ada, Kind: parley.Person, Limits: limits}, {Name: Rutger, Kind: parley.Person, Limits: limits}}})
	w.Must(err)
	w.Must(w.Hub.Start(t.Context()))
	w.During(func(ctx context.Context) { _ = w.Hub.Run(ctx) })
	w.People = bridge.NewPeople(st, w.Hub.Directory, w.Hub.Access)
	return w
}

// end closes everything, and looks at what must be so after every test.
func (w *World) end() {
	for _, p := range w.Chat.Close() {
		w.Errorf("the program was called wrongly: %s", p)
	}
	if err := w.Store.Close(); err != nil {
		w.Error(err)
	}
	for _, secret := range w.Is.Secrets {
		if log := w.log.text.String(); strings.Contains(log, secret) {
			w.Errorf("%s is in the log: %s", secret, log)
		}
	}
}

func (w *World) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&w.log, nil)) }

// Must ends the test if there is an error.
func (w *World) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// During runs something until the returned function is called, or the test ends.
func (w *World) During(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); run(ctx) }()
	stop = func() { cancel(); <-done }
	w.Cleanup(stop)
	return stop
}

// Bridge makes a bridge that is not running. Its times make tests short; nothing else
// depends on them.
func (w *World) Bridge() *bridge.Bridge { return w.BridgeOf(w.Chat.Program(w.logger())) }

// BridgeOf is one to a program that is given.
func (w *World) BridgeOf(p bridge.Program) *bridge.Bridge {
	return bridge.New(bridge.Config{Store: w.Store, Team: w.team, Contacts: w.Hub.Contacts, Reading: w.Hub.Reading, Log: w.logger(), Lead: "Bot", Program: p,
		Channels: map[string]string{Standup: w.Is.Standup}, Timing: bridge.Timing{Pauses: []time.Duration{time.Millisecond, 5 * time.Millisecond}, Unpaced: true, Limit: 30 * time.Second}})
}

// Run runs a bridge, and waits until it listens.
func (w *World) Run() (stop func()) {
	w.Helper()
	before := w.connected()
	stop = w.During(w.Bridge().Run)
	w.Until("a connection", func(v View) bool { return v.Connected() > before })
	return stop
}

func (w *World) connected() (n int) {
	w.Until("anything", func(v View) bool { n = v.Connected(); return true })
	return n
}

// Linked runs a bridge, and links people.
func (w *World) Linked(people ...string) (stop func()) {
	w.Helper()
	stop = w.Run()
	for _, name := range people {
		w.Say(name, w.Code(name))
		w.Find(name, "You are "+name+" here now.")
	}
	return stop
}

// Code is one that links somebody.
func (w *World) Code(name string) string {
	w.Helper()
	code, err := w.People.Link(w.Context(), w.As(name), name)
	w.Must(err)
	return code.Code
}

// Say says something to the bot alone.
func (w *World) Say(who, text string) string { return w.Chat.Say(Said{Who: who, In: who, Text: text}) }

// SayAll says something in Standup.
func (w *World) SayAll(who, text string) string {
	return w.Chat.Say(Said{Who: who, In: Standup, Text: text})
}

// Press presses a button.
func (w *World) Press(who string, p Post, label string) {
	w.Helper()
	if !slices.Contains(p.Buttons, label) {
		w.Fatalf("there is no button %q: %+v", label, p)
	}
	w.Chat.Press(who, p, label, nil)
}

// Until waits until something is so.
func (w *World) Until(what string, so func(View) bool) {
	w.Helper()
	w.Chat.Until(what, so)
}

// Posts are those of the bot in a conversation.
func (w *World) Posts(in string) (list []Post) {
	w.Until("anything", func(v View) bool { list = v.Posts(in); return true })
	return list
}

// Find waits for a post that has all these words, and returns the last.
func (w *World) Find(in string, words ...string) (found Post) {
	w.Helper()
	w.Until("a post in "+in+" with "+strings.Join(words, " and "), func(v View) bool {
		for _, p := range v.Posts(in) {
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(p.Text, word) }) {
				found = p
			}
		}
		return found.ID != ""
	})
	return found
}

// Once waits for posts, and looks whether each is there once and in this order.
func (w *World) Once(in string, texts ...string) {
	w.Helper()
	for _, text := range texts {
		w.Find(in, text)
	}
	var got []string
	for _, p := range w.Posts(in) {
		for _, text := range texts {
			if strings.Contains(p.Text, text) {
				got = append(got, text)
			}
		}
	}
	if !slices.Equal(got, texts) {
		w.Errorf("posted %q, not %q", got, texts)
	}
}

// Shown waits until somebody was shown something.
func (w *World) Shown(who, text string) {
	w.Helper()
	w.Until("that "+who+" is shown "+text, func(v View) bool { return strings.Contains(strings.Join(v.Shown(who), "\n"), text) })
}

// Gone waits until no post and no file has a text.
func (w *World) Gone(text string) {
	w.Helper()
	w.Until("that nothing shows "+text, func(v View) bool {
		return !slices.ContainsFunc(slices.Concat(v.Posts(Ada), v.Posts(Rutger), v.Posts(Standup)), func(p Post) bool { return strings.Contains(p.Text, text) }) &&
			!slices.ContainsFunc(v.Files(), func(f File) bool { return strings.Contains(f.Text, text) })
	})
}

// Later moves the clock of the hub.
func (w *World) Later(d time.Duration) { w.ahead.Add(int64(d)) }

// As is somebody of the team.
func (w *World) As(name string) access.Caller {
	w.Helper()
	e, err := w.Hub.Directory.Find(w.team.ID, name)
	w.Must(err)
	return access.Caller{Team: w.team.ID, Agent: e.ID}
}

// Want has Trainee want to contact Bot, which needs approval.
func (w *World) Want(text string) parley.ApprovalID {
	w.Helper()
	_, err := w.Hub.Contacts.Delegate(w.Context(), w.As("Trainee"), contact.Request{Target: "Bot", Message: text})
	need, ok := parley.AsNeedsApproval(err)
	if !ok {
		w.Fatalf("it needs no approval: %v", err)
	}
	return need.Approval
}

// Deny has Rutger deny an approval elsewhere.
func (w *World) Deny(id parley.ApprovalID) {
	w.Helper()
	_, err := w.Hub.Contacts.Deny(w.Context(), w.As(Rutger), parley.ApprovalRef{ID: id}, "")
	w.Must(err)
}

// Decided looks at what became of an approval.
func (w *World) Decided(id parley.ApprovalID, want parley.ApprovalState, comment string) {
	w.Helper()
	a, err := w.Hub.Reading.Approval(w.Context(), w.As(Ada), parley.ApprovalRef{ID: id})
	if err != nil || a.State != want || a.Comment != comment {
		w.Errorf("%+v, %v", a, err)
	}
}

// Ask has Helper ask something of a person.
func (w *World) Ask(person, text string) contact.Contact {
	w.Helper()
	c, err := w.Hub.Contacts.Delegate(w.Context(), w.As("Helper"), contact.Request{Target: person, Message: text})
	w.Must(err)
	return c
}

// Notify has Helper say something to a person.
func (w *World) Notify(person, text string) parley.MessageID {
	w.Helper()
	c, err := w.Hub.Contacts.Notify(w.Context(), w.As("Helper"), contact.Request{Target: person, Message: text, Attach: true})
	w.Must(err)
	return c.Message
}

// Post has somebody say something in the team's channel.
func (w *World) Post(who, text string) {
	w.Helper()
	_, err := w.Hub.Contacts.Post(w.Context(), w.As(who), contact.Post{Channel: Standup, Message: text})
	w.Must(err)
}

// Redact takes a message away.
func (w *World) Redact(id parley.MessageID) {
	w.Helper()
	_, err := w.Hub.Redactions.Redact(w.Context(), w.As(Ada), id, "a secret")
	w.Must(err)
}

// Tasks looks at those of Helper.
func (w *World) Tasks(want string) {
	w.Helper()
	list, err := w.Hub.Desk.Tasks(w.Context(), w.As("Helper"))
	w.Must(err)
	var titles []string
	for _, task := range list {
		titles = append(titles, string(task.Pattern)+" "+task.Title)
	}
	if got := strings.Join(titles, "; "); got != want {
		w.Errorf("Helper has %q, not %q", got, want)
	}
}

// Said is what Ada has said in the team's channel, or to somebody.
func (w *World) Said(in string) (texts []string) {
	w.Helper()
	ada := w.As(Ada)
	said, err := w.Hub.Reading.Read(w.Context(), ada, in, 0, 1000)
	w.Must(err)
	for _, m := range said.Messages {
		if m.Author == ada.Agent {
			texts = append(texts, m.Body)
		}
	}
	return texts
}

// SaidOnce looks whether Ada has said this in the team's channel, in this order and nothing
// else.
func (w *World) SaidOnce(want ...string) {
	w.Helper()
	if got := w.Said(Standup); !slices.Equal(got, want) {
		w.Errorf("the channel has %q, not %q", got, want)
	}
}

// Events are those on record of a kind.
func (w *World) Events(kind parley.EventKind) (list []parley.Event) {
	w.Helper()
	w.Must(w.Store.View(w.Context(), func(tx *store.Tx) (err error) {
		list, _, err = tx.EventsOf(store.EventFilter{Team: w.team.ID, Kind: string(kind)}, "", 1000)
		return err
	}))
	return list
}

// Paused looks how often the team was paused.
func (w *World) Paused(want int) {
	w.Helper()
	if n := len(w.Events(parley.EventPaused)); n != want {
		w.Errorf("paused %d times, not %d", n, want)
	}
}
