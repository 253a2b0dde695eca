package crash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// thinker is an agent with tools whose model is asked over the wire of a
// provider, and the hubs that die under it.
type thinker struct {
	*ground
	place *place
	open  func(*place) (database, error)
	model *wiretest.Server
}

// providers are the formats that stream the arguments of a tool call in pieces.
var providers = []struct{ kind, model string }{
	{"anthropic", "claude-sonnet-4-5"}, {"openai", "gpt-5"}, {"openai-compatible", "qwen3-coder"},
}

// newThinker makes the team, with the outside server desk if one is described.
func newThinker(g *ground, on engine, kind, name string, mind wiretest.Mind, outside string) *thinker {
	g.Helper()
	t := &thinker{ground: g, model: wiretest.Start(g, mind)}
	m, open := on.new(g)
	t.open = open
	if m.store != "" {
		m.lease = time.Second
	}
	front := fmt.Sprintf("model: lab/%s\ntoolsets: [workspace]\nprofile: {preset: open}\n", name)
	m.settings = fmt.Sprintf("providers:\n  lab: {kind: %s, base_url: %q, key_env: LAB_KEY}\n", kind, t.model.Base(kind))
	if outside != "" {
		m.settings += "mcp_servers:\n  desk: " + outside + "\n"
		front += "mcp_servers: [desk]\n"
	}
	m.files = map[string]string{"agents/Thinker.md": "---\n" + front + "---\nYou think.\n"}
	t.place = g.place("hub", m)
	t.place.environment = []string{"LAB_KEY=sk-lab-4711"}
	return t
}

// killed gives the thinker a task, kills the hub when it is in the middle of it,
// and returns how the task ended at the next hub, which has stopped too.
func (t *thinker) killed(middle func()) (api.Task, *record) {
	t.Helper()
	first := t.start(t.place)
	made := t.contact(first.waitUp(), api.ContactRequest{Action: "delegate", Agent: "Thinker", Message: "Do it."})
	middle()
	first.kill()
	second := t.start(t.place)
	hub := second.waitUp()
	ended, err := hub.WaitTask(context.Background(), made.Task.ID, patience)
	if err != nil {
		t.Fatalf("%v\n%s", err, second.lastWords())
	}
	if ended.State != parley.Completed.String() || ended.Rescues != 1 {
		t.Fatalf("the task is %s after %d rescues: %s", ended.State, ended.Rescues, ended.Error)
	}
	t.checkInbox(hub.Inbox, ended.Result)
	second.stop()
	return ended, t.look()
}

// checkInbox makes sure that the result arrived once.
func (t *thinker) checkInbox(inbox func(context.Context, int) (api.Inbox, error), result string) {
	t.Helper()
	list, err := inbox(context.Background(), 100)
	if err != nil {
		t.Fatal(err)
	}
	arrived := 0
	for _, m := range list.Items {
		if m.Body == result {
			arrived++
		}
	}
	if arrived != 1 {
		t.Errorf("the result %q arrived %d times: %+v", result, arrived, list)
	}
}

// look reads the database and holds it against the promises.
func (t *thinker) look() *record {
	t.Helper()
	db, err := t.open(t.place)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	r, err := read(db)
	if err != nil {
		t.Fatal(err)
	}
	if problems := atRest(r); len(problems) > 0 {
		t.Errorf("after the kill:\n%s", lines(problems))
	}
	return r
}

// note is a file that commands write to in the workspace.
func (t *thinker) note() string {
	text, _ := os.ReadFile(filepath.Join(t.place.team, "note.txt")) // it may not be there yet
	return string(text)
}

// results are the tool results that a request shows.
func results(r wiretest.Request) (list []string) {
	for _, m := range r.Messages {
		if m.Role == model.ToolResult {
			list = append(list, m.Text)
		}
	}
	return list
}

const interrupted = "Error: The call was interrupted; whether it took effect is unknown. Look before you try again."

// checkShown compares the tool results in the last request.
func (t *thinker) checkShown(requests int, want ...string) {
	t.Helper()
	list := t.model.Requests()
	if len(list) != requests {
		t.Fatalf("the model was asked %d times, not %d", len(list), requests)
	}
	if got := results(list[len(list)-1]); !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("the model was shown %q, want %q", got, want)
	}
}

// moment is something that happens once or more often, and can be waited for.
type moment chan struct{}

func newMoment() moment { return make(moment, 1) }

func (m moment) reach() {
	select {
	case m <- struct{}{}:
	default:
	}
}

// await returns a function that waits for a moment.
func (g *ground) await(what string, m moment) func() {
	return func() {
		g.Helper()
		select {
		case <-m:
		case <-time.After(patience):
			g.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// forEngines runs a test on SQLite for each provider, and on PostgreSQL for one.
func forEngines(t *testing.T, test func(t *testing.T, on engine, kind, name string)) {
	for _, on := range engines {
		for i, p := range providers {
			if on.name == "sqlite" || i == 0 {
				t.Run(on.name+"/"+p.kind, func(t *testing.T) { test(t, on, p.kind, p.model) })
			}
		}
	}
}
