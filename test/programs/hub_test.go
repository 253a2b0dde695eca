package programs

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
)

// patience limits every wait for something that must happen. Only a failing test waits
// that long.
const patience = 2 * time.Minute

const teamFiles = `
-- parley.yaml --
team: main
person: Ada
model: scripted:script.yaml
limits:
  rate: 1000
-- agents/DataBot.md --
---
description: Knows the revenue.
---
You know the revenue.
-- agents/Counter.md --
---
kind: client
description: Counts.
---
-- agents/Helper.md --
---
kind: client
description: Helps.
---
-- script.yaml --
agents:
  DataBot:
    - steps: [{say: '42 million.'}]
`

// hub is a real hub on a folder and a port of its own, which can be stopped and started
// again there.
type hub struct {
	t       *testing.T
	dir     string
	listen  string
	person  *client.Client
	stop    context.CancelFunc
	ended   chan error
	journal *journal
}

// journal is what a hub or a program has said. It may be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
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

func newHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{t: t, dir: t.TempDir(), listen: freeAddress(t), journal: &journal{}}
	for _, f := range txtar.Parse([]byte(teamFiles)).Files {
		path := filepath.Join(h.dir, filepath.FromSlash(f.Name))
		h.must(os.MkdirAll(filepath.Dir(path), 0o700))
		h.must(os.WriteFile(path, f.Data, 0o600))
	}
	h.start()
	t.Cleanup(func() {
		h.halt()
		if t.Failed() {
			t.Logf("the hub said:\n%s", h.journal)
		}
	})
	person, err := client.Discover(filepath.Join(h.dir, ".parley"))
	h.must(err)
	t.Cleanup(person.Close)
	h.person = person
	return h
}

// freeAddress is an address at which a hub can be started more than once.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (h *hub) start() {
	h.t.Helper()
	team, problems, err := config.Load(h.dir)
	h.must(err)
	if len(problems) > 0 {
		h.t.Fatal(problems)
	}
	ready := make(chan app.Serving, 1)
	ctx, cancel := context.WithCancel(context.Background())
	h.stop, h.ended = cancel, make(chan error, 1)
	cfg := app.ServeConfig{Team: team, Listen: h.listen, Log: slog.New(slog.NewTextHandler(h.journal, nil)), Ready: func(s app.Serving) { ready <- s }}
	go func() { h.ended <- app.Serve(ctx, cfg) }()
	select {
	case <-ready:
	case err := <-h.ended:
		h.ended <- nil
		h.t.Fatalf("the hub did not start: %v", err)
	}
}

// halt stops the hub in order.
func (h *hub) halt() {
	h.stop()
	if err := <-h.ended; err != nil {
		h.t.Errorf("the hub ended with %v", err)
	}
	h.ended <- nil
}

func (h *hub) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *hub) token(name string) api.NewToken {
	h.t.Helper()
	token, err := h.person.CreateToken(h.t.Context(), api.TokenRequest{For: name})
	h.must(err)
	return token
}

// agent is a client of the hub by a new token.
func (h *hub) agent(name string) *client.Client {
	h.t.Helper()
	c := client.New(h.person.Address(), h.token(name).Secret)
	h.t.Cleanup(c.Close)
	return c
}

func (h *hub) delegate(to, message string) string {
	h.t.Helper()
	made, err := h.person.Contact(h.t.Context(), api.ContactRequest{Action: "delegate", Agent: to, Message: message})
	h.must(err)
	return made.Task.ID
}

// result waits for the end of a task and returns its state and text.
func (h *hub) result(task string) (state, text string) {
	h.t.Helper()
	t, err := h.person.WaitTask(h.t.Context(), task, patience)
	h.must(err)
	if t.Ended == nil {
		h.t.Fatalf("%s has not ended: %+v", task, t)
	}
	return t.State, t.Result + t.Error
}

func (h *hub) completed(task, want string) {
	h.t.Helper()
	if state, text := h.result(task); state != parley.Completed.String() || text != want {
		h.t.Errorf("%s is %s: %q, want %q", task, state, text, want)
	}
}

// eventually looks until the condition holds.
func (h *hub) eventually(what string, holds func() bool) {
	h.t.Helper()
	end := time.After(patience)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-end:
			h.t.Fatalf("%s: not within %v", what, patience)
		}
	}
}
