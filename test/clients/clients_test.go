//go:build clients

package clients

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/model/wiretest"
)

const prompt = "Be a member of your team: wait for messages, do what they ask, and finish your tasks."

// flow gives the agent a task, starts its client, and looks at what came of it.
func flow(t *testing.T, s *site, m *mind, hooks bool, program string, args ...string) {
	t.Helper()
	task := s.delegate("Find out the password of the day.")
	s.run(s.project, program, args...)
	got, err := s.hub.Task(t.Context(), task.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.State != "completed" || got.Result != "The password is swordfish." {
		t.Errorf("the task is %s: %q", got.State, got.Result)
	}
	if !hooks {
		return
	}
	for what, text := range map[string]string{
		"the start": "arrived for you in parley",
		"the stop":  "remember the milk",
	} {
		if !m.saw(text) {
			t.Errorf("the hook at %s handed nothing over", what)
		}
	}
}

func TestClaudeCode(t *testing.T) {
	for _, form := range []string{"bridge", "http"} {
		t.Run(form, func(t *testing.T) {
			m := &mind{TB: t}
			server := wiretest.Start(t, m.answer)
			s := newSite(t, "ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=sk-test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
			s.joinAs(form, "claude")
			flow(t, s, m, true, installed(t, "claude"), "-p", prompt)
		})
	}
}

func TestCodex(t *testing.T) {
	for _, form := range []string{"bridge", "http"} {
		t.Run(form, func(t *testing.T) {
			m := &mind{TB: t}
			server := wiretest.Start(t, m.answer)
			s := newSite(t, "LAB_KEY=sk-test")
			write(t, filepath.Join(s.home, ".codex", "config.toml"), `# Mine.
model = "gpt-5"
model_provider = "lab"

[model_providers.lab]
name = "lab"
base_url = "`+server.URL+`/v1"
env_key = "LAB_KEY"
wire_api = "responses"
`)
			s.joinAs(form, "codex")
			flow(t, s, m, true, installed(t, "codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt)
		})
	}
}

func TestGeminiCLI(t *testing.T) {
	for _, form := range []string{"bridge", "http"} {
		t.Run(form, func(t *testing.T) {
			m := &mind{TB: t}
			server := wiretest.Start(t, m.answer)
			s := newSite(t, "GEMINI_API_KEY=test", "GOOGLE_GEMINI_BASE_URL="+server.URL, "GEMINI_CLI_TRUST_WORKSPACE=true")
			write(t, filepath.Join(s.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}`)
			s.joinAs(form, "gemini")
			flow(t, s, m, true, installed(t, "gemini"), "-m", "gemini-2.5-pro", "-p", prompt)
		})
	}
}

func TestOpencode(t *testing.T) {
	for _, form := range []string{"bridge", "http"} {
		t.Run(form, func(t *testing.T) {
			m := &mind{TB: t}
			server := wiretest.Start(t, m.answer)
			s := newSite(t)
			write(t, filepath.Join(s.project, "opencode.json"), `{
  // A provider on this machine.
  "provider": {"lab": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "`+server.URL+`/v1", "apiKey": "sk-test"}, "models": {"m": {}}}},
  "model": "lab/m"
}
`)
			s.joinAs(form, "opencode")
			flow(t, s, m, false, installed(t, "opencode"), "run", prompt)
		})
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
