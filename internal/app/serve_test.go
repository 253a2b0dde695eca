package app_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/workspace/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	if dir := os.Getenv(deskEnv); dir != "" {
		_ = serveDesk(dir) // its input has ended
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const files = `
-- parley.yaml --
team: main
person: Ada
listen: 127.0.0.1:0
model: scripted:script.yaml
-- agents/DataBot.md --
---
description: Knows the revenue.
---
You know the revenue.
-- agents/SlowBot.md --
---
description: Takes its time.
---
You think before you answer.
-- script.yaml --
agents:
  DataBot:
    - steps: [{say: '42 million.'}]
  SlowBot:
    - steps: [{wait: 300ms, say: 'At last.'}]
`

// folder writes a team's folder. Further files are added to the usual ones,
// or replace them.
func folder(t *testing.T, more string) string {
	t.Helper()
	dir := t.TempDir()
	for _, text := range []string{files, more} {
		for _, f := range txtar.Parse([]byte(text)).Files {
			path := filepath.Join(dir, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// running is a hub that was started by a test.
type running struct {
	app.Serving
	t     *testing.T
	log   *journal
	stop  context.CancelFunc
	ended chan error
}

// journal is a log that a test can read while it is written.
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

func configure(t *testing.T, dir string) app.ServeConfig {
	t.Helper()
	team, problems, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return app.ServeConfig{Team: team, Problems: problems}
}

// up starts a hub and waits until it is ready.
func up(t *testing.T, cfg app.ServeConfig) *running {
	t.Helper()
	r := &running{t: t, log: &journal{}, ended: make(chan error, 1)}
	ready := make(chan app.Serving, 1)
	cfg.Log = slog.New(slog.NewTextHandler(r.log, nil))
	cfg.Ready = func(s app.Serving) { ready <- s }
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	go func() { r.ended <- app.Serve(ctx, cfg) }()
	select {
	case r.Serving = <-ready:
	case err := <-r.ended:
		cancel()
		t.Fatalf("the hub did not start: %v", err)
	}
	t.Cleanup(func() { r.down() })
	return r
}

// down stops the hub in order; it may be called twice.
func (r *running) down() {
	r.t.Helper()
	r.stop()
	if err, open := <-r.ended; open {
		close(r.ended)
		if err != nil {
			r.t.Errorf("the hub ended with %v", err)
		}
	}
}

func (r *running) client() *client.Client {
	r.t.Helper()
	c, err := client.Discover(r.Data)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

func (r *running) contact(action, agent string) api.Task {
	r.t.Helper()
	made, err := r.client().Contact(r.t.Context(), api.ContactRequest{Action: action, Agent: agent, Message: "What was the revenue?"})
	if err != nil {
		r.t.Fatal(err)
	}
	return *made.Task
}

func TestAHubFromItsFolder(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	if r.Person != "Ada" || r.Team != "main" || len(r.Problems) != 0 || !strings.HasPrefix(r.URL, "http://127.0.0.1:") {
		t.Errorf("serving %+v", r.Serving)
	}
	c := r.client()
	hub, err := c.Hub(t.Context())
	if err != nil || hub.You != "Ada" || hub.Team != "main" || hub.Process != os.Getpid() || hub.Version == "" || hub.ClockBehind != 0 {
		t.Errorf("hub %+v, %v", hub, err)
	}
	task, err := c.WaitTask(t.Context(), r.contact("ask", "DataBot").ID, time.Minute)
	if err != nil || task.Result != "42 million." {
		t.Errorf("task %+v, %v", task, err)
	}
	info, err := os.Stat(filepath.Join(r.Data, "hub.token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token file has the mode %v, %v", info.Mode(), err)
	}
	if strings.Contains(r.log.String(), "parley_") {
		t.Errorf("a token is in the log:\n%s", r.log)
	}
	r.down()
	if _, err := client.Discover(r.Data); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("found after the stop: %v", err)
	}
}

func TestASecondHubOnTheSameDataIsRefused(t *testing.T) {
	dir := folder(t, "")
	first := up(t, configure(t, dir))
	err := app.Serve(t.Context(), configure(t, dir))
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), first.URL) {
		t.Errorf("got %v", err)
	}
	if _, err := first.client().Hub(t.Context()); err != nil {
		t.Errorf("the first one suffered: %v", err)
	}
	other := configure(t, dir)
	other.Data = t.TempDir()
	second := up(t, other)
	if _, err := os.Stat(filepath.Join(other.Data, "parley.db")); err != nil || second.URL == first.URL {
		t.Errorf("the database did not go with the folder: %v", err)
	}
}

func TestTheTokenSurvivesARestart(t *testing.T) {
	dir := folder(t, "")
	first := up(t, configure(t, dir))
	read := func() string {
		text, err := os.ReadFile(filepath.Join(first.Data, "hub.token"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := read()
	first.down()
	second := up(t, configure(t, dir))
	if read() != before {
		t.Error("the token changed")
	}
	second.down()
	other := configure(t, dir)
	other.Team.Person = "Bob"
	third := up(t, other)
	if hub, err := third.client().Hub(t.Context()); read() == before || hub.You != "Bob" || err != nil {
		t.Errorf("the token of Ada is used for %s, %v", hub.You, err)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg := configure(t, folder(t, ""))
	cfg.Listen = l.Addr().String()
	err = app.Serve(t.Context(), cfg)
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("got %v", err)
	}
	cfg.Listen = "256.1.1.1:80"
	if err := app.Serve(t.Context(), cfg); parley.KindOf(err) != parley.Invalid {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestAnAgentWithoutAModelIsLeftOut(t *testing.T) {
	r := up(t, configure(t, folder(t, `
-- agents/Clever.md --
---
model: antropic/claude
---
-- agents/Lost.md --
---
model: scripted:nowhere.yaml
---
`)))
	var problems []string
	for _, p := range r.Problems {
		problems = append(problems, p.String())
	}
	text := strings.Join(problems, "\n")
	if len(problems) != 2 || !strings.Contains(text, "agents/Clever.md") || !strings.Contains(text, `There is no provider "antropic". Did you mean anthropic?`) || !strings.Contains(text, "agents/Lost.md") {
		t.Errorf("problems:\n%s", text)
	}
	if !strings.Contains(r.log.String(), "Clever") {
		t.Errorf("the log does not say so:\n%s", r.log)
	}
	if task, err := r.client().WaitTask(t.Context(), r.contact("ask", "DataBot").ID, time.Minute); err != nil || task.State != "completed" {
		t.Errorf("the rest does not work: %+v, %v", task, err)
	}
}

func TestAnAgentWhoseFileGotAMistakeIsNotThere(t *testing.T) {
	cfg := configure(t, folder(t, "-- agents/Clever.md --\n---\nmodel: scripted:script.yaml\n---\n"))
	up(t, cfg).down()
	broken := filepath.Join(cfg.Team.Dir, "agents", "Clever.md")
	if err := os.WriteFile(broken, []byte("---\nmodel: scripted:nowhere.yaml\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	agents, err := up(t, configure(t, cfg.Team.Dir)).client().Agents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string]string{}
	for _, a := range agents {
		statuses[a.Name] = a.Status
	}
	if statuses["Clever"] != string(parley.StatusOffline) || statuses["DataBot"] != string(parley.StatusIdle) {
		t.Errorf("statuses: %v", statuses)
	}
}

func TestThePerson(t *testing.T) {
	unnamed := strings.Replace(files, "person: Ada\n", "", 1)
	cfg := configure(t, folder(t, unnamed))
	byUser := up(t, cfg).Person
	if parley.CheckName(byUser) != nil {
		t.Errorf("the person is %q", byUser)
	}
	called := up(t, configure(t, folder(t, unnamed+"-- agents/"+byUser+".md --\n---\ndescription: An agent of that name.\n---\n")))
	if called.Person == byUser || !strings.HasPrefix(called.Person, byUser) || parley.CheckName(called.Person) != nil {
		t.Errorf("the person is %q, and so is an agent", called.Person)
	}
	cfg = configure(t, folder(t, ""))
	cfg.Team.Person = "databot"
	if err := app.Serve(t.Context(), cfg); parley.KindOf(err) != parley.Conflict {
		t.Errorf("a person with an agent's name: %v", err)
	}
	cfg.Team.Person = "a/b"
	if err := app.Serve(t.Context(), cfg); parley.KindOf(err) != parley.Invalid {
		t.Errorf("a name that is none: %v", err)
	}
}

// The doors close first: what waits there is told at once. The turn under way
// still gets its time, and its end is stored.
func TestStoppingHasAnOrder(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	c := r.client()
	task := r.contact("ask", "SlowBot")
	waited := make(chan error, 1)
	go func() {
		_, err := c.WaitTask(t.Context(), task.ID, 0)
		waited <- err
	}()
	r.stop()
	if err := <-waited; parley.KindOf(err) != parley.Unavailable {
		t.Errorf("the waiting ended with %v", err)
	}
	r.down()
	if got := stored(t, r.Data, task.ID); got.State != parley.Completed {
		t.Errorf("the turn under way was %s", got.State)
	}
}

// stored reads a task from the database of a hub that has stopped.
func stored(t *testing.T, data, id string) (task parley.Task) {
	t.Helper()
	st, err := sqlite.Open(filepath.Join(data, "parley.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	number, err := parley.ParseTaskID(id)
	if err != nil {
		t.Fatal(err)
	}
	err = st.View(t.Context(), func(tx *store.Tx) (err error) {
		task, err = tx.Task(number)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func TestAClockThatWasSetBackIsToldOf(t *testing.T) {
	dir := folder(t, "")
	cfg := configure(t, dir)
	st, err := sqlite.Open(cfg.Team.Store.Path, sqlite.Options{Clock: func() time.Time { return time.Now().Add(time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		tx.Record(parley.Event{Kind: parley.EventStatus})
		return nil
	})
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	r := up(t, cfg)
	if !strings.Contains(r.log.String(), "clock is behind") {
		t.Errorf("the log does not say so:\n%s", r.log)
	}
	if hub, err := r.client().Hub(t.Context()); err != nil || hub.ClockBehind < 3000 {
		t.Errorf("hub %+v, %v", hub, err)
	}
	if task, err := r.client().WaitTask(t.Context(), r.contact("ask", "DataBot").ID, time.Minute); err != nil || task.State != "completed" {
		t.Errorf("work stands still too: %+v, %v", task, err)
	}
}

func TestADamagedDatabaseIsRefused(t *testing.T) {
	cfg := configure(t, folder(t, ""))
	if err := os.MkdirAll(cfg.Team.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg.Team.Store.Path, []byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	err := app.Serve(t.Context(), cfg)
	if parley.KindOf(err) != parley.Internal || !strings.Contains(err.Error(), "parley.db") {
		t.Errorf("got %v", err)
	}
	if _, err := client.Discover(cfg.Team.Data); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("a hub that did not start is found: %v", err)
	}
}
