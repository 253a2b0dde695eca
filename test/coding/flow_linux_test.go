package coding

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/api"
	"parley/client"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/model/wiretest"
)

// wires are the providers whose formats the team is run over.
var wires = []struct{ kind, model, keyEnv, header, path string }{
	{"anthropic", "anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY", "X-Api-Key", "/v1/messages"},
	{"openai", "openai:gpt-5", "OPENAI_API_KEY", "Authorization", "/v1/responses"},
	{"openai-compatible", "lab:qwen3-coder", "LAB_API_KEY", "Authorization", "/v1/chat/completions"},
	{"gemini", "gemini:gemini-2.5-pro", "GEMINI_API_KEY", "X-Goog-Api-Key", "/models/gemini-2.5-pro:streamGenerateContent"},
}

const secret = "sk-test-4711-secret"

// A person asks for a change. The reader finds the place, the writer asks the
// reader by itself and changes it, the reviewer has the writer mend it without
// the planner, the scribe writes the index and the report, and the person is told.
func TestTheCodingTeamChangesARepository(t *testing.T) {
	script, err := scripted.Load("testdata/script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wires {
		t.Run(w.kind, func(t *testing.T) {
			server := wiretest.Start(t, wiretest.Of(script))
			s := newSite(t)
			provider, _, _ := strings.Cut(w.model, ":")
			s.env = append(s.env, w.keyEnv+"="+secret)
			s.replace("parley.yaml", "\nmodel: scripted:script.yaml\n", "\nmodel: "+w.model+"\n")
			s.write("parley.yaml", s.read("parley.yaml")+fmt.Sprintf("providers:\n  %s: {kind: %s, base_url: %q, key_env: %s}\n",
				provider, w.kind, server.Base(w.kind), w.keyEnv))
			s.warmCache()
			hub := s.up()

			said := s.run("parley", "ask", "planner", "Add retry logic to the agent.", "--timeout", "10m")
			const done = "Done. Run in agent/agent.go tries 3 times. PASS: agent/agent.go:19 tries three times and returns the last error.\n"
			if said != done {
				t.Fatalf("the person is told %q\n%s", said, s.run("parley", "tasks"))
			}
			s.checkTree(hub)
			s.checkRepository()
			checkThreads(t, server.Requests())
			for _, r := range server.Requests() {
				if !r.Stream || !strings.HasSuffix(r.Path, w.path) || !strings.HasSuffix(r.Header.Get(w.header), secret) {
					t.Errorf("a request to %s, streamed: %t, key: %q", r.Path, r.Stream, r.Header.Get(w.header))
				}
			}
			s.checkSecret()
		})
	}
}

// warmCache lets commands read what the compiler has already compiled on this
// machine. In a sandbox the compiler has its own cache, and would start with the
// standard library.
func (s *site) warmCache() {
	s.Helper()
	cache := strings.TrimSpace(s.run("go", "env", "GOCACHE"))
	s.run("go", "vet", "./...")
	s.run("go", "test", "./...")
	s.env = append(s.env, "GOCACHE="+cache)
	s.write("parley.yaml", s.read("parley.yaml")+fmt.Sprintf("workspace:\n  readable: [%q]\n  environment: [GOCACHE]\n", cache))
}

// checkTree compares who worked for whom.
func (s *site) checkTree(hub *client.Client) {
	s.Helper()
	list, err := hub.Tasks(s.Context(), client.TaskFilter{})
	if err != nil || len(list) == 0 {
		s.Fatalf("%d tasks, %v", len(list), err)
	}
	tree, err := hub.Tree(s.Context(), list[len(list)-1].Root)
	if err != nil {
		s.Fatal(err)
	}
	const want = "planner(reader writer(reader) reviewer(writer writer) scribe(reader))"
	if got := outline(tree); got != want {
		s.Errorf("who worked for whom: %s, want %s", got, want)
	}
	writer, fixes := tree.Children[1], tree.Children[2].Children
	if writer.Thread == fixes[0].Thread || fixes[0].Thread != fixes[1].Thread {
		s.Errorf("the writer worked in %s for the planner, and in %s and %s for the reviewer", writer.Thread, fixes[0].Thread, fixes[1].Thread)
	}
}

// outline writes a tree of tasks; those that did not complete are marked.
func outline(t api.TaskTree) string {
	text := t.Agent
	if t.State != "completed" {
		text += "!"
	}
	var below []string
	for _, c := range t.Children {
		below = append(below, outline(c))
	}
	if below != nil {
		text += "(" + strings.Join(below, " ") + ")"
	}
	return text
}

// checkRepository runs the repository's tests and those of the person, and looks
// at what the scribe has written. Nothing else may be different.
func (s *site) checkRepository() {
	s.Helper()
	for name, want := range map[string]string{
		"agent/agent.go":                   "// Run asks the model, up to three times.\nfunc (a *Agent) Run(prompt string) (reply string, err error) {",
		"agents/_shared/codebase-index.md": "Agent.Run",
		"agents/_shared/last-run.md":       "- Changed: agent/agent.go (Run tries 3 times).",
	} {
		if text := s.read(name); !strings.Contains(text, want) {
			s.Errorf("%s is:\n%s", name, text)
		}
	}
	if out := s.run("gofmt", "-l", "."); out != "" {
		s.Errorf("gofmt lists %s", out)
	}
	acceptance, err := os.ReadFile("testdata/acceptance_test.go")
	if err != nil {
		s.Fatal(err)
	}
	s.write("agent/acceptance_test.go", string(acceptance))
	s.run("go", "vet", "./...")
	s.run("go", "test", "./...")
}

// checkThreads looks at what the writer's model was sent: nothing of other
// threads in a new one, everything before in one that is used again, and each
// context as the object that the caller gave.
func checkThreads(t *testing.T, requests []wiretest.Request) {
	t.Helper()
	const (
		first  = "Let Run in agent/agent.go call the model up to 3 times"
		second = "the last error is lost"
		third  = "the comment still says once"
	)
	seen := map[string]int{}
	for _, r := range requests {
		if !strings.HasPrefix(r.System, "You are writer.") {
			continue
		}
		text := conversation(r.Messages)
		key := fmt.Sprint(strings.Contains(text, first), strings.Contains(text, second), strings.Contains(text, third))
		seen[key]++
		given := contexts(t, text)
		for mark, want := range map[string]string{
			first:  `{"attempts":3,"files":["agent/agent.go"],"found":"agent/agent.go:21 calls the model once; `,
			second: `{"findings":[{"path":"agent/agent.go","wrong":"returns no error"}],"verdict":"FAIL"}`,
			third:  `{"round":2}`,
		} {
			if strings.Contains(text, mark) && !strings.Contains(given, want) {
				t.Errorf("the writer was not given %s with the task, but\n%s", want, given)
			}
		}
	}
	want := map[string]int{"true false false": 5, "false true false": 4, "false true true": 4}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("the writer was shown the three tasks in these requests: %v, want %v", seen, want)
	}
}

// contexts are the objects that came with requests, with their keys in order:
// not every provider keeps the model's.
func contexts(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(text) {
		given, ok := strings.CutPrefix(line, "Context: ")
		if !ok {
			continue
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(given), &object); err != nil {
			t.Errorf("the context is no object: %s", given)
		}
		if err := json.NewEncoder(&b).Encode(object); err != nil {
			t.Error(err)
		}
	}
	return b.String()
}

func conversation(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Text)
	}
	return b.String()
}

// checkSecret makes sure that the key is in no file that the hub has written.
func (s *site) checkSecret() {
	s.Helper()
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			s.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		s.Error(err)
	}
}
