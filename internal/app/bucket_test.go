package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// bucketWires are the formats that providers speak.
var bucketWires = []struct{ kind, model string }{
	{"anthropic", "anthropic/claude-sonnet-4-5"},
	{"openai", "openai/gpt-5"},
	{"openai-compatible", "lab/qwen3-coder"},
	{"gemini", "gemini/gemini-2.5-pro"},
}

// delegations are how many the planner makes.
const delegations = 10

// crew thinks for the coding team: the planner delegates ten parts, and whoever gets
// one looks at the folder and says so.
func crew(r wiretest.Request) wiretest.Reply {
	usage := model.Usage{Input: int64(len(r.Body) / 4), Output: 20}
	last := r.Messages[len(r.Messages)-1]
	if !strings.HasPrefix(r.System, "You are planner.") {
		if last.Role == model.ToolResult {
			return wiretest.Reply{Text: "Looked.", Usage: usage}
		}
		return wiretest.Reply{Usage: usage, Calls: []wiretest.Call{{ID: "look", Name: "glob", Args: `{"pattern":"*"}`}}}
	}
	for _, m := range r.Messages {
		if m.Role == model.ToolResult {
			return wiretest.Reply{Text: "Everything was looked at.", Usage: usage}
		}
	}
	reply := wiretest.Reply{Usage: usage}
	for i := range delegations {
		who := []string{"reader", "writer", "reviewer", "scribe"}[i%4]
		reply.Calls = append(reply.Calls, wiretest.Call{ID: fmt.Sprint("part", i), Name: "contact_agent",
			Args: fmt.Sprintf(`{"action":"delegate","agentId":%q,"message":"Look at part %d."}`, who, i)})
	}
	return reply
}

// The coding team at a provider that allows 40,000 tokens a minute finishes ten
// delegations, and the person sees why it takes long. A minute is a little over a
// second here; PARLEY_TEST_MINUTE makes it another time, such as 1m.
func TestATeamWithinARateLimit(t *testing.T) {
	t.Setenv("TRIAL_KEY", secretKey)
	minute := 1200 * time.Millisecond
	if s := os.Getenv("PARLEY_TEST_MINUTE"); s != "" {
		var err error
		if minute, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, wire := range bucketWires {
		t.Run(wire.kind, func(t *testing.T) {
			t.Parallel()
			bucket := &wiretest.Bucket{Tokens: 40_000, Per: minute}
			server := wiretest.Start(t, bucket.Before(crew))
			r := up(t, codingTeam(t, wire.kind, wire.model, server))
			provider, _, _ := strings.Cut(wire.model, "/")
			seen := r.delegateAll(provider)
			if len(seen) == 0 {
				t.Error("nobody saw that anything waits")
			}
			for text := range seen {
				if text != "waiting for "+provider && !(strings.HasPrefix(text, "waiting for "+provider+", ") && strings.HasSuffix(text, " s")) {
					t.Errorf("the person reads %q", text)
				}
			}
			busy, answered := r.events("provider.busy"), r.events("provider.answered")
			if len(busy) == 0 || len(busy) != len(answered) {
				t.Errorf("%d waits began, %d ended", len(busy), len(answered))
			}
			if answers, refusals := bucket.Counts(); refusals == 0 || refusals > answers {
				t.Errorf("%d answers, %d refusals", answers, refusals)
			}
		})
	}
}

// codingTeam is the template, with a provider of ours.
func codingTeam(t *testing.T, kind, name string, server *wiretest.Server) app.ServeConfig {
	t.Helper()
	dir := t.TempDir()
	template, err := config.FindTemplate("coding")
	if err == nil {
		_, err = template.Write(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "parley.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	provider, _, _ := strings.Cut(name, "/")
	files := strings.Replace(string(text), "\nmodel: scripted:script.yaml\n", "\nmodel: "+name+"\n", 1) +
		fmt.Sprintf("\nperson: Ada\nlisten: 127.0.0.1:0\nproviders:\n  %s: {kind: %s, base_url: %s, key_env: TRIAL_KEY}\n", provider, kind, server.Base(kind))
	if err := os.WriteFile(path, []byte(files), 0o600); err != nil {
		t.Fatal(err)
	}
	return configure(t, dir)
}

// delegateAll lets the planner work, and returns what the person could read meanwhile
// of what waits for the provider.
func (r *running) delegateAll(provider string) (seen map[string]bool) {
	r.t.Helper()
	hub := r.client()
	made, err := hub.Contact(r.t.Context(), api.ContactRequest{Action: "delegate", Agent: "planner", Message: "Look at everything."})
	if err != nil {
		r.t.Fatal(err)
	}
	seen = map[string]bool{}
	var once sync.Once
	for {
		list, err := hub.Tasks(r.t.Context(), client.TaskFilter{})
		if err != nil {
			r.t.Fatal(err)
		}
		done := 0
		for _, task := range list {
			if task.Waiting != "" {
				seen[task.Waiting] = true
				once.Do(func() { r.checkWaiting(hub, task, provider) })
			}
			switch task.State {
			case "completed":
				done++
			case "failed", "cancelled":
				r.t.Fatalf("%s of %s: %s", task.ID, task.Agent, task.Error)
			}
		}
		if done == delegations+1 {
			return seen
		}
		if _, err := hub.WaitTask(r.t.Context(), made.Task.ID, 50*time.Millisecond); err != nil {
			r.t.Fatal(err)
		}
	}
}

// checkWaiting looks at a waiting task as people do elsewhere.
func (r *running) checkWaiting(hub *client.Client, task api.Task, provider string) {
	r.t.Helper()
	now, err := hub.Task(r.t.Context(), task.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	if now.State == "waiting" && now.WaitsFor != "provider: "+provider && now.Waiting != "" {
		r.t.Errorf("it waits for %q", now.WaitsFor)
	}
}
