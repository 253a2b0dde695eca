package notify_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
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
	"parley/internal/contact"
	"parley/internal/model/scripted"
	"parley/internal/notify"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/workspace/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

const secretEnv, secret = "PARLEY_TEST_HOOK_SECRET", "a secret of the hub"

// quick makes tests short. Nothing depends on these times but how long they take.
var quick = notify.Timing{Settle: time.Millisecond, Pauses: []time.Duration{time.Millisecond, 2 * time.Millisecond}, Lease: time.Minute}

// world is a team whose agents can contact each other. Nobody's turns run.
type world struct {
	t     *testing.T
	store store.Store
	hub   *app.Hub
	team  parley.Team
	dir   string
	log   *journal
	ahead *atomic.Int64 // how far the clock is ahead
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
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: func() time.Time {
		return time.Now().Add(time.Duration(ahead.Load()))
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := joinWorld(t, st)
	w.ahead = ahead
	return w
}

// joinWorld is the same team on any store.
func joinWorld(t *testing.T, st store.Store) *world {
	t.Helper()
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv(secretEnv, secret)
	w := &world{t: t, store: st, dir: t.TempDir(), log: &journal{}}
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.hub = app.NewHub(app.HubConfig{Store: st, Log: log, Unindexed: true})
	if err := w.hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	model, err := scripted.Parse("script.yaml", []byte("agents: {Bot: [{steps: [{say: Yes.}]}]}"))
	if err != nil {
		t.Fatal(err)
	}
	roster := app.Roster{Team: "main", Channels: []app.Channel{{Name: "standup", Members: []string{"*"}}}}
	limits := parley.DefaultLimits()
	limits.Rate, limits.Burst = 1000, 1000
	for _, name := range []string{"Bot", "Other"} {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: parley.Native, Model: model, Limits: limits})
	}
	roster.Members = append(roster.Members,
		app.Member{Name: "Trainee", Kind: parley.Client, Limits: limits, Rules: &policy.Rules{Behavior: policy.Supervised}},
		app.Member{Name: "Ada", Kind: parley.Person, Limits: limits}, app.Member{Name: "Rutger", Kind: parley.Person, Limits: limits})
	if w.team, err = w.hub.Join(t.Context(), roster); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) as(name string) access.Caller {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.team.ID, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return access.Caller{Team: w.team.ID, Agent: e.ID}
}

// mail sends a notification.
func (w *world) mail(from, to, text string) contact.Contact {
	w.t.Helper()
	c, err := w.hub.Contacts.Notify(w.t.Context(), w.as(from), contact.Request{Target: to, Message: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) delegate(from, to, text string) contact.Contact {
	w.t.Helper()
	c, err := w.hub.Contacts.Delegate(w.t.Context(), w.as(from), contact.Request{Target: to, Message: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
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

// teller makes a teller with targets, which begins now.
func (w *world) teller(timing notify.Timing, targets ...notify.Target) *notify.Teller {
	w.t.Helper()
	teller := notify.New(notify.Config{Store: w.store, Team: w.team, Dir: w.dir, Log: slog.New(slog.NewTextHandler(w.log, nil)), Timing: timing})
	if err := teller.Set(w.t.Context(), targets); err != nil {
		w.t.Fatal(err)
	}
	return teller
}

// run runs a teller until the returned function is called, or the test ends.
func (w *world) run(teller *notify.Teller) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		teller.Run(ctx)
	}()
	stop = func() { cancel(); <-done }
	w.t.Cleanup(stop)
	return stop
}

// post is what a receiver got.
type post struct {
	header http.Header
	body   []byte
	notify.Notice
}

// receiver is a server that gets posts. Its answer may be nil for success.
type receiver struct {
	*httptest.Server
	got chan post
}

func newReceiver(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, p post)) *receiver {
	t.Helper()
	rec := &receiver{got: make(chan post, 1000)}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		p := post{header: r.Header, body: body}
		if err := json.Unmarshal(body, &p.Notice); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		rec.got <- p
		if answer != nil {
			answer(w, r, p)
		}
	}))
	t.Cleanup(rec.Close)
	return rec
}

func (r *receiver) target() notify.Target {
	return notify.Target{URL: r.URL + "/hook?key=in-the-address", SecretEnv: secretEnv, Private: true}
}

// texts are the texts of the next posts, up to the one that ends with "end".
func (r *receiver) texts() (list []string) {
	for p := range r.got {
		list = append(list, p.Text)
		if strings.HasSuffix(p.Text, "end") {
			return list
		}
	}
	return list
}
