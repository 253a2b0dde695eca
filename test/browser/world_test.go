package browser

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
)

// patience is how long something may take that has to happen: far longer than it does, on
// the slowest machine.
const patience = time.Minute

// world is a hub with a team, as parley up runs it.
type world struct {
	*testing.T
	*client.Client // of its first person
	dir, url       string
	listen         string
	stop           func()
	warned         warnings
}

// warnings are what the hub logged.
type warnings struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// team is what most tests begin with.
const team = `
-- parley.yaml --
team: orchard
person: Mira
people: [Jonas]
lead: CoordinatorBot
model: scripted:script.yaml
limits: {rate: 6000}
channels:
  - {name: report, topic: The report for Q3, members: [CoordinatorBot, DataBot, WriterBot, Mira, Jonas]}
-- agents/CoordinatorBot.md --
You coordinate.
-- agents/DataBot.md --
You know the figures.
-- agents/WriterBot.md --
---
contacts:
  - {allow: DataBot, requires_approval: true}
---
You write.
-- script.yaml --
agents:
  CoordinatorBot:
    - match: 'ask the person (.*)'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: Mira, message: '{{match 1}}'}
        - say: 'You said: {{result}}'
    - match: 'report'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: DataBot, message: 'What was the revenue?'}
        - call: contact_agent
          args: {action: delegate, agentId: WriterBot, message: 'Write the summary.'}
        - say: 'Waiting for WriterBot.'
    - steps: [{say: 'The report is done. {{body}}'}]
  DataBot:
    - match: 'revenue'
      steps: [{say: 'Revenue in Q3 was **4.3 million**.'}]
    - steps: [{say: 'I only know the revenue.'}]
  WriterBot:
    - match: 'tell (\w+) (.*)'
      steps:
        - call: contact_agent
          args: {action: notify, agentId: '{{match 1}}', message: '{{match 2}}'}
        - say: 'Told.'
    - steps: [{say: 'Written: {{body}}'}]
`

// seats are for tests that run beside each other: each has a hub and profiles of the browser
// to itself, but they share the processors.
var seats = make(chan struct{}, 2)

// newWorld starts a hub with the files of a txtar archive, when there is a seat.
func newWorld(t *testing.T, files string) *world {
	t.Helper()
	t.Parallel()
	seats <- struct{}{}
	t.Cleanup(func() { <-seats })
	return newWorldBeside(t, files)
}

// newWorldBeside is newWorld for a test that needs little for a long time, so it takes no
// seat from others.
func newWorldBeside(t *testing.T, files string) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), listen: "127.0.0.1:0"}
	for _, f := range txtar.Parse([]byte(files)).Files {
		path := filepath.Join(w.dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.start()
	t.Cleanup(func() { w.stop() })
	return w
}

// start serves the team. After a stop it has the same address and database.
func (w *world) start() {
	w.Helper()
	files, problems, err := config.Load(w.dir)
	if err != nil || len(problems) > 0 {
		w.Fatal(err, problems)
	}
	ctx, end := context.WithCancel(context.Background())
	ended, up := make(chan error, 1), make(chan app.Serving, 1)
	log := slog.New(slog.NewTextHandler(io.MultiWriter(w.Output(), &w.warned), &slog.HandlerOptions{Level: slog.LevelWarn}))
	go func() {
		ended <- app.Serve(ctx, app.ServeConfig{Team: files, Listen: w.listen, Grace: 100 * time.Millisecond, Log: log, Ready: func(s app.Serving) { up <- s }})
	}()
	select {
	case err := <-ended:
		end()
		w.Fatal(err)
	case s := <-up:
		w.url = s.URL
		w.listen = strings.TrimPrefix(s.URL, "http://")
		if w.Client, err = client.Discover(s.Data); err != nil {
			w.Error(err)
		}
	}
	w.stop = func() {
		w.Client.Close()
		end()
		if err := <-ended; err != nil {
			w.Error(err)
		}
		w.stop = func() {}
	}
}

// link is a one-time link for the hub's person.
func (w *world) link() string {
	w.Helper()
	l, err := w.CreateLink(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return w.url + l.Path
}

// contact is made by the hub's person.
func (w *world) contact(action, agent, message string) api.Contact {
	w.Helper()
	c, err := w.Contact(w.Context(), api.ContactRequest{Action: action, Agent: agent, Message: message})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// ended waits for the end of a task.
func (w *world) ended(task string) api.Task {
	w.Helper()
	t, err := w.WaitTask(w.Context(), task, patience)
	if err != nil {
		w.Fatal(err)
	}
	return t
}
