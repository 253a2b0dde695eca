package mcpserver_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/gate"
	"parley/internal/mcpserver"
	"parley/internal/model/scripted"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const script = `
agents:
  DataBot: [{steps: [{say: 'Twelve.'}]}]
`

// world is a hub with its door, which tests stop and start while the address stays.
type world struct {
	t      testing.TB
	store  store.Store
	web    *httptest.Server
	door   atomic.Pointer[mcpserver.Door] // nil while the hub is down
	hub    *app.Hub
	team   parley.Team
	other  parley.Team
	roster app.Roster
	stop   context.CancelFunc
	ended  chan error
	tokens map[string]string
	gate   *gate.Gate
}

// newWorld starts a team: Ada and Bob are people, DataBot is native, CoderBot and ToolBot
// are client agents, and ToolBot is CoderBot's manager. GuardedBot, ToolBot's report too,
// needs approval to contact anybody. Eve and SpyBot are another team.
func newWorld(t testing.TB) *world {
	t.Helper()
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: st, tokens: map[string]string{}, gate: gate.New(gate.Config{Store: st, Log: slog.New(slog.DiscardHandler)})}
	w.web = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		door := w.door.Load()
		if door == nil {
			panic(http.ErrAbortHandler) // nobody is there
		}
		r, leave, err := w.gate.Enter(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer leave()
		ctx, release := gate.Until(r.Context())
		defer release(nil)
		door.ServeHTTP(out, r.WithContext(ctx))
	}))
	w.start()
	t.Cleanup(func() {
		w.crash()
		w.web.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// start starts the hub.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.stop, w.ended = cancel, make(chan error, 1)
	parsed, err := scripted.Parse("script.yaml", []byte(script))
	if err != nil {
		w.t.Fatal(err)
	}
	w.hub = app.NewHub(app.HubConfig{Store: w.store, Log: slog.New(slog.DiscardHandler), Name: "test", Workers: 2})
	limits := parley.DefaultLimits()
	w.roster = app.Roster{Team: "main", Home: "test", Person: "Ada", Members: []app.Member{
		{Name: "Ada", Kind: parley.Person, Limits: limits},
		{Name: "Bob", Kind: parley.Person, Limits: limits},
		{Name: "DataBot", Kind: parley.Native, Model: parsed, Limits: limits},
		{Name: "CoderBot", Kind: parley.Client, Description: "Writes code.", Limits: limits, Rules: &policy.Rules{Manager: parley.FoldName("ToolBot")}},
		{Name: "ToolBot", Kind: parley.Client, Limits: limits},
		{Name: "GuardedBot", Kind: parley.Client, Limits: limits, Rules: &policy.Rules{Manager: parley.FoldName("ToolBot"), Behavior: policy.Supervised}},
	}, Channels: []app.Channel{{Name: "standup", Topic: "Every day.", Members: []string{"*"}}}}
	if w.team, err = w.hub.Join(ctx, w.roster); err != nil {
		w.t.Fatal(err)
	}
	if w.other, err = w.hub.Join(ctx, app.Roster{Team: "other", Home: "other", Person: "Eve", Members: []app.Member{
		{Name: "Eve", Kind: parley.Person, Limits: limits},
		{Name: "SpyBot", Kind: parley.Client, Limits: limits},
	}, Channels: []app.Channel{{Name: "standup", Members: []string{"*"}}}}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.hub.Start(ctx); err != nil {
		w.t.Fatal(err)
	}
	go func(hub *app.Hub, ended chan error) { ended <- hub.Run(ctx) }(w.hub, w.ended)
	w.door.Store(w.hub.MCP(app.MCPConfig{Identify: w.gate.Identify, Headers: gate.Headers, MessageBytes: limits.MessageBytes, Progress: 20 * time.Millisecond}))
}

// rejoin changes the members, as a change in the files does.
func (w *world) rejoin(change func(*app.Member)) {
	w.t.Helper()
	r := w.roster
	r.Members = slices.Clone(r.Members)
	for i := range r.Members {
		change(&r.Members[i])
	}
	if _, err := w.hub.Join(w.t.Context(), r); err != nil {
		w.t.Fatal(err)
	}
}

// crash ends the hub: what it had in memory is gone, and every connection is cut.
func (w *world) crash() {
	door := w.door.Swap(nil)
	if door == nil {
		return
	}
	w.web.CloseClientConnections()
	door.Stop()
	w.stop()
	if err := <-w.ended; err != nil {
		w.t.Error(err)
	}
}

// tokenOf is the token of a participant.
func (w *world) tokenOf(name string) string {
	w.t.Helper()
	if w.tokens[name] == "" {
		e, err := w.hub.Directory.Find(w.teamOf(name), name)
		if err != nil {
			w.t.Fatal(err)
		}
		if w.tokens[name], err = token.Issue(w.t.Context(), w.store, e.ID); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.tokens[name]
}

// caller is a participant as a door knows it.
func (w *world) caller(name string) access.Caller {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.teamOf(name), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return access.Caller{Team: e.Team, Agent: e.ID}
}

// teamOf is the team that somebody is in.
func (w *world) teamOf(name string) parley.TeamID {
	if name == "Eve" || name == "SpyBot" {
		return w.other.ID
	}
	return w.team.ID
}

// delegate hands work over.
func (w *world) delegate(from, to, message string) parley.TaskID {
	w.t.Helper()
	made, err := w.hub.Contacts.Delegate(w.t.Context(), w.caller(from), contact.Request{Target: to, Message: message})
	if err != nil {
		w.t.Fatal(err)
	}
	return made.Task.ID
}

// bearer sends a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r) // a kept connection to a dead hub fails once
}

// connection is a client of a participant.
type connection struct {
	*mcp.ClientSession
	w *world
}

// The two ways of the protocol: with sessions, and without.
const (
	withSessions = "2025-06-18"
	alone        = "2026-07-28"
)

// versions are those that a test is run with.
var versions = []string{withSessions, alone}

func (w *world) connect(name, version string, o *mcp.ClientOptions) *connection {
	w.t.Helper()
	return w.connectWith(w.tokenOf(name), version, o)
}

func (w *world) connectWith(token, version string, o *mcp.ClientOptions) *connection {
	w.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(w.t.Context(), &mcp.StreamableClientTransport{Endpoint: w.web.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearer{token}}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = session.Close() })
	return &connection{session, w}
}

// call calls a tool.
func (c *connection) call(name string, args map[string]any) *mcp.CallToolResult {
	c.w.t.Helper()
	res, err := c.CallTool(c.w.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.w.t.Fatalf("%s: %v", name, err)
	}
	return res
}

// says calls a tool that succeeds and returns its text.
func (c *connection) says(name string, args map[string]any) string {
	c.w.t.Helper()
	res := c.call(name, args)
	if res.IsError {
		c.w.t.Fatalf("%s failed: %s", name, textOf(res))
	}
	return textOf(res)
}

func textOf(res *mcp.CallToolResult) string {
	return res.StructuredContent.(map[string]any)["text"].(string)
}
