package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/model/wiretest"
)

const secretKey = "sk-4711-nobody-may-read-this"

// abroad is a team whose agents think at a provider.
func abroad(t *testing.T, model string, server *wiretest.Server, more string) app.ServeConfig {
	t.Helper()
	t.Setenv("TRIAL_KEY", secretKey)
	kind, _, _ := strings.Cut(model, "/")
	if kind == "trial" {
		kind = "openai-compatible"
	}
	return configure(t, folder(t, fmt.Sprintf(`
-- parley.yaml --
team: main
person: Ada
listen: 127.0.0.1:0
model: %s
providers:
  %s: {kind: %s, base_url: %s, key_env: TRIAL_KEY}
models:
  %s: {window: 100000, max_output: 1000, price: {input: 2, output: 10}%s}
`, model, strings.Split(model, "/")[0], kind, server.Base(kind), model, more)))
}

// answer asks DataBot and returns what came of it.
func (r *running) answer() (state, text string) {
	r.t.Helper()
	task, err := r.client().WaitTask(r.t.Context(), r.contact("ask", "DataBot").ID, time.Minute)
	if err != nil {
		r.t.Fatal(err)
	}
	return task.State, task.Result + task.Error
}

// An agent at each provider lists its colleagues and answers, over the
// provider's own wire.
func TestAgentsThinkAtEveryProvider(t *testing.T) {
	for _, name := range []string{"anthropic/claude-test", "openai/gpt-5", "gemini/gemini-test", "openrouter/some/model", "trial/llama3:8b"} {
		t.Run(name, func(t *testing.T) {
			server := wiretest.Start(t, func(r wiretest.Request) wiretest.Reply {
				last := r.Messages[len(r.Messages)-1]
				if last.Role != model.ToolResult {
					return wiretest.Reply{Text: "I look.", Calls: []wiretest.Call{{ID: "a", Name: "list_agents", Args: "{}"}}, Piece: 2}
				}
				return wiretest.Reply{Text: "There is SlowBot: " + fmt.Sprint(strings.Contains(last.Text, "SlowBot")), Usage: model.Usage{Input: 10, Output: 5}}
			})
			r := up(t, abroad(t, name, server, ""))
			if state, text := r.answer(); state != "completed" || text != "There is SlowBot: true" {
				t.Errorf("%s: %s\n%s", state, text, r.log)
			}
			if len(r.Problems) != 0 {
				t.Errorf("problems: %v", r.Problems)
			}
		})
	}
}

// A script can think behind any provider's wire, for each agent its own part.
func TestAScriptBehindTheWire(t *testing.T) {
	path := t.TempDir() + "/script.yaml"
	script := `
agents:
  DataBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}, {say: '{{result}}'}]}]
  SlowBot: [{steps: [{say: 'At last.'}]}]
`
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	mind, err := scripted.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"anthropic/claude-test", "openai/gpt-5", "gemini/gemini-test", "openrouter/some/model", "trial/llama3:8b"} {
		t.Run(name, func(t *testing.T) {
			r := up(t, abroad(t, name, wiretest.Start(t, wiretest.Of(mind)), ""))
			if state, text := r.answer(); state != "completed" || text != "Response from SlowBot: At last." {
				t.Errorf("%s: %s\n%s", state, text, r.log)
			}
		})
	}
}

// A model without tool calling writes JSON; what cannot be read costs it a step.
func TestAnAgentWithoutToolCalling(t *testing.T) {
	server := wiretest.Start(t, wiretest.InTurn(
		wiretest.Reply{Text: "I think I should look around."},
		wiretest.Reply{Text: "```json\n{'action': 'tool_call', 'tool': 'list_agents',}\n```"},
		wiretest.Reply{Text: `{"action": "done", "message": "Nobody knows."}`},
	))
	r := up(t, abroad(t, "trial/llama2", server, ", tool_calling: false"))
	if state, text := r.answer(); state != "completed" || text != "Nobody knows." {
		t.Errorf("%s: %s\n%s", state, text, r.log)
	}
	requests := server.Requests()
	if len(requests) != 3 {
		t.Fatalf("%d requests", len(requests))
	}
	told := requests[1].Messages[len(requests[1].Messages)-1].Text
	if len(requests[0].Tools) != 0 || !strings.HasPrefix(told, "FORMAT ERROR: there is no JSON object") {
		t.Errorf("told: %q", told)
	}
}

// One that never writes JSON fails with what was wrong, not with failed tools.
func TestAnAgentThatOnlyTalks(t *testing.T) {
	server := wiretest.Start(t, func(wiretest.Request) wiretest.Reply { return wiretest.Reply{Text: "Well, let me think."} })
	r := up(t, abroad(t, "trial/llama2", server, ", tool_calling: false"))
	const want = "five replies in a row could not be used. The last: FORMAT ERROR: there is no JSON object"
	if state, text := r.answer(); state != "failed" || !strings.Contains(text, want) {
		t.Errorf("%s: %s", state, text)
	}
}

// Whatever a provider answers, also if it echoes the key, nothing of the hub
// holds it: not its database, its log, its events, nor what is read of a task.
func TestTheKeyIsNowhere(t *testing.T) {
	for name, reply := range map[string]wiretest.Reply{
		"wrong key":   {Status: 401, Message: "Incorrect API key provided: " + secretKey},
		"bad request": {Status: 400, Message: "what is " + secretKey + "?"},
		"an answer":   {Text: "Your key is " + secretKey + "."},
	} {
		for _, model := range []string{"anthropic/claude-test", "openai/gpt-5", "gemini/gemini-test", "trial/x"} {
			t.Run(name+" at "+model, func(t *testing.T) {
				server := wiretest.Start(t, wiretest.InTurn(reply))
				r := up(t, abroad(t, model, server, ""))
				_, text := r.answer()
				all := []string{text, r.log.String()}
				for e, err := range r.client().Events(t.Context(), "", false) {
					if err != nil {
						t.Fatal(err)
					}
					b, err := json.Marshal(e)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, string(b))
				}
				r.down()
				if strings.Contains(strings.Join(all, "\n"), secretKey) {
					t.Errorf("the key is told: %s", all)
				}
				_ = fs.WalkDir(os.DirFS(r.Data), ".", func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					if b, err := os.ReadFile(r.Data + "/" + path); err == nil && bytes.Contains(b, []byte(secretKey)) {
						t.Errorf("the key is in %s", path)
					}
					return nil
				})
				if header := fmt.Sprint(server.Requests()[0].Header); !strings.Contains(header, secretKey) {
					t.Errorf("the provider did not get the key: %s", header)
				}
			})
		}
	}
}

// Each model is asked once, and what is wrong is said.
func TestTryModels(t *testing.T) {
	for name, c := range map[string]struct {
		reply wiretest.Reply
		says  string
	}{
		"fine":          {wiretest.Reply{Text: "ok", Usage: model.Usage{Input: 10, Output: 1}}, ""},
		"wrong key":     {wiretest.Reply{Status: 401, Message: "no"}, "does not accept the key in TRIAL_KEY"},
		"unknown model": {wiretest.Reply{Status: 404, Message: "model: claude-tset"}, `anthropic has no model "claude-test"`},
		"rate limit":    {wiretest.Reply{Status: 429}, "Rate limit exceeded."},
	} {
		t.Run(name, func(t *testing.T) {
			server := wiretest.Start(t, wiretest.InTurn(c.reply))
			trials := app.TryModels(t.Context(), abroad(t, "anthropic/claude-test", server, "").Team)
			if len(trials) != 1 || len(server.Requests()) != 1 || len(trials[0].Agents) != 2 {
				t.Fatalf("%+v", trials)
			}
			if got := trials[0]; !strings.Contains(got.Problem, c.says) || (c.says == "" && (got.Problem != "" || got.Usage.Cost != 30)) {
				t.Errorf("%+v", got)
			}
		})
	}
	team := abroad(t, "anthropic/claude-test", wiretest.Start(t, nil), "").Team
	team.Providers[0].BaseURL = "http://127.0.0.1:1"
	if trials := app.TryModels(t.Context(), team); len(trials) != 1 || !trials[0].Offline {
		t.Errorf("with nobody there: %+v", trials)
	}
	if names := app.RealModels(team); len(names) != 1 || names[0] != "anthropic/claude-test" {
		t.Errorf("models: %v", names)
	}
}

func TestModelsOfATeam(t *testing.T) {
	team := &config.Team{Providers: []config.Provider{{Name: "lab"}},
		Models: []config.ModelInfo{{ID: "lab/x", Window: 4096}, {ID: "anthropic/claude-haiku-4-5", MaxOutput: 99}, {ID: "fast", Use: config.Model{Provider: "lab", Name: "x"}}}}
	if list := app.ListModels(team, "lab/", false); len(list) != 1 || list[0].Window != 4096 {
		t.Errorf("%+v", list)
	}
	e, ok := app.Catalogue(team).Find("anthropic", "claude-haiku-4-5")
	if !ok || e.MaxOutput != 99 || e.Window != 200_000 || e.Price == nil {
		t.Errorf("%+v", e)
	}
}
