package httpapi_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/client"
	"parley/internal/app"
	"parley/internal/hosting"
	"parley/internal/httpapi"
	"parley/internal/model/scripted"
	"parley/internal/rulebook"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script drives the agents of every team here.
const script = `
agents:
  CoordinatorBot:
    - match: 'report'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: DataBot, message: 'What was the revenue?'}
        - call: contact_agent
          args: {action: notify, agentId: DataBot, message: 'The report is written.'}
        - say: 'The report. {{result 1}}'
    - match: 'ask the person (.*)'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: '{{match 1}}', message: 'May I?'}
        - say: 'Heard: {{result}}'
  DataBot:
    - match: 'revenue'
      steps: [{say: '42 million.'}]
    - match: 'break'
      steps: [{fail: 'The pen is broken.'}]
    - steps: [{say: 'I only know the revenue.'}]
  WriterBot:
    - steps: [{say: 'Done: {{body}}'}]
`

// noon is when everything here happens, unless a test says otherwise. The
// store's time stands still.
var noon = time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)

// world is a hub with two teams and its HTTP door on a port.
type world struct {
	t        *testing.T
	hub      *app.Hub
	store    store.Store
	server   *httpapi.Server
	url      string
	teams    map[string]parley.Team
	tokens   map[string]string // of people and clients, by name
	newcomer string            // who was added to the files
	files    *files            // of the team main
	log      *strings.Builder
	close    func() // stops the door; the test's end does it too
}

// newWorld starts a hub. Ada, Bob and a client are in the team main; Eve is in
// the team other, with agents of the same names.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := assemble(t, func() time.Time { return noon })
	w.run()
	return w
}

// assemble makes everything but starts nothing.
func assemble(t *testing.T, clock parley.Clock) *world {
	t.Helper()
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: st, teams: map[string]parley.Team{}, tokens: map[string]string{}, log: &strings.Builder{}}
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.hub = app.NewHub(app.HubConfig{Store: st, Log: log, Workers: 8, Grace: time.Second, Unindexed: true}) // so that answers to searches do not depend on how far the index is
	if err := w.hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.join("main", "Ada", "Bob", "Joiner")
	w.join("other", "Eve")
	w.files = writeFiles(t)
	w.files.added = func(name string) { w.newcomer = name; w.join("main", "Ada", "Bob", "Joiner", name) }
	rules := rulebook.New(st, w.hub.Directory, w.hub.Access, w.teams["main"].ID, w.files, log)
	w.server = httpapi.New(httpapi.Config{
		Store: st, Contacts: w.hub.Contacts, Reading: w.hub.Reading, Desk: w.hub.Desk, Tools: w.hub.Tools, Redactions: w.hub.Redactions, Channels: w.hub.Channels, Keepers: w.hub.Keepers, Claims: w.hub.Claims, Changes: w.hub.Changes, Tokens: w.hub.Tokens, Sessions: w.hub.Sessions, ChatPeople: w.hub.ChatPeople, Schedules: w.hub.Schedules,
		Rules: func(parley.TeamID) *rulebook.Service { return rules }, Teams: hosting.New(w.hub.Access, w.teams["main"].ID, w),
		Log: log, Version: "test", Started: noon, Host: "127.0.0.1", MessageBytes: 1 << 10,
	})
	return w
}

// List and Reread make the world's teams those of a hub.
func (w *world) List(context.Context) (list []hosting.Team, err error) {
	for _, name := range []string{"main", "other"} {
		list = append(list, hosting.Team{ID: w.teams[name].ID, Name: name, Folder: "/teams/" + name, Own: name == "main", Agents: []string{"DataBot"}, Warnings: []string{"poem"}})
	}
	return list, nil
}

func (w *world) Reread(context.Context) error { return nil }

// join makes a team of native agents, people and a client.
func (w *world) join(team string, outside ...string) {
	w.t.Helper()
	model, err := scripted.Parse("script.yaml", []byte(script))
	if err != nil {
		w.t.Fatal(err)
	}
	limits := parley.DefaultLimits()
	limits.MessageBytes = 1 << 10
	roster := app.Roster{Team: team}
	for _, name := range []string{"CoordinatorBot", "DataBot", "WriterBot"} {
		roster.Members = append(roster.Members, app.Member{Name: name, Description: name + " of the team " + team + ".", Kind: parley.Native, Model: model, Limits: limits})
	}
	for _, name := range outside {
		m := app.Member{Name: name, Kind: parley.Person, Limits: limits}
		if rules, program := clients[name]; program {
			m.Kind, m.Rules = parley.Client, rules
		}
		roster.Members = append(roster.Members, m)
	}
	w.teams[team], err = w.hub.Join(w.t.Context(), roster)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, name := range outside {
		e, err := w.hub.Directory.Find(w.teams[team].ID, name)
		if err != nil {
			w.t.Fatal(err)
		}
		if name == w.newcomer {
			continue // somebody gives it one
		}
		if w.tokens[name], err = token.Issue(w.t.Context(), w.store, e.ID); err != nil {
			w.t.Fatal(err)
		}
	}
}

// run serves until the test ends, and then stops door, work and store.
func (w *world) run() {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.url = "http://" + listener.Addr().String()
	open, closeDoor := context.WithCancel(context.Background())
	working, stopWork := context.WithCancel(context.Background())
	served, worked := make(chan error, 1), make(chan error, 1)
	go func() { served <- w.server.Run(open, listener) }()
	go func() { worked <- w.hub.Run(working) }()
	stopped := false
	w.close = func() {
		closeDoor()
		if stopped {
			return
		}
		stopped = true
		if err := <-served; err != nil {
			w.t.Errorf("the door ended with %v", err)
		}
	}
	w.t.Cleanup(func() {
		w.close()
		stopWork()
		if err := <-worked; err != nil {
			w.t.Errorf("the work ended with %v", err)
		}
		if err := w.store.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

// as returns a client that acts as somebody.
func (w *world) as(name string) *client.Client {
	c := client.New(w.url, w.tokens[name])
	w.t.Cleanup(c.Close)
	return c
}

// request makes a raw request as somebody; an empty name sends no token.
func (w *world) request(as, method, path, body string) *http.Request {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if as != "" {
		req.Header.Set("Authorization", "Bearer "+w.tokens[as])
	}
	return req
}

// send makes the request and reads the whole answer.
func (w *world) send(req *http.Request) (*http.Response, string) {
	w.t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, string(text)
}

func (w *world) do(as, method, path, body string) (int, string) {
	w.t.Helper()
	resp, text := w.send(w.request(as, method, path, body))
	return resp.StatusCode, text
}
