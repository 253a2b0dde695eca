package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/config"
	"parley/internal/mcpclient"
)

// Where no sandbox works, a server is not started, and that is said. With sandbox: off
// it is.
func TestWithoutASandboxNoServerStarts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"parley.yaml": "model: scripted:x.yaml\nmcp_servers:\n  boxed: {command: cat}\n  free: {command: cat, sandbox: off}\n  far: {url: http://127.0.0.1:1/mcp}\n",
		"a.md":        "---\nname: A\nmcp_servers: [boxed, free, far]\n---\n",
	} {
		if name != config.TeamFile {
			name = filepath.Join("agents", name)
		}
		if err := os.MkdirAll(filepath.Join(dir, "agents"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	team, problems, err := config.Load(dir)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	boxes := &serverBoxes{looked: true, reason: errNoBox}
	refused := map[string]bool{}
	for _, s := range boxes.servers(team, team.Agents[0]) {
		refused[s.Name] = s.Refused != ""
		if s.Name == "boxed" {
			state := mcpclient.Check(t.Context(), s.Server, slog.New(slog.DiscardHandler))
			if state.Up || !strings.Contains(state.Problem, "sandbox: off in its description starts it without one") {
				t.Errorf("the state is %+v", state)
			}
		}
	}
	if !refused["boxed"] || refused["free"] || refused["far"] {
		t.Errorf("refused: %v", refused)
	}
	if list := boxes.warnings(team); len(list) != 1 || !strings.HasPrefix(list[0].String(), "parley.yaml: mcp_servers: boxed is not started: there is no sandbox") {
		t.Errorf("the warnings are %v", list)
	}
}
