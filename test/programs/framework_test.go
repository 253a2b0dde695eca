//go:build examples

package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/model/wiretest"
)

// The examples that are made with a framework. They need the network, for its packages;
// the model that thinks for them is on this machine. make examples runs them.
func TestTheExamplesWithFrameworksWork(t *testing.T) {
	need(t, "python3")
	h := newHub(t)
	for _, c := range []struct{ name, tool, args string }{
		{"langgraph-agent", "ask_agent", `{"agent": "DataBot", "question": "What was the revenue?"}`},
		{"openai-agents-agent", "contact_agent", `{"action": "ask", "agentId": "DataBot", "message": "What was the revenue?"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h.within(t)
			dir := filepath.Join(root(t), "examples", c.name)
			python := install(t, filepath.Join(dir, "requirements.txt"))
			mind := wiretest.Start(t, func(r wiretest.Request) wiretest.Reply {
				last := r.Messages[len(r.Messages)-1]
				if last.CallID == "" {
					return wiretest.Reply{Calls: []wiretest.Call{{ID: "call-1", Name: c.tool, Args: c.args}}}
				}
				return wiretest.Reply{Text: "I was told: " + last.Text}
			})
			p := h.run(h.token("Counter").Secret, []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + mind.Base("openai")}, python, filepath.Join(dir, "agent.py"))
			task := h.delegate("Counter", "What was the revenue?")
			if state, text := h.result(task); state != "completed" || !strings.HasPrefix(text, "I was told: ") || !strings.Contains(text, "42 million.") {
				t.Errorf("%s: %q", state, text)
			}
			if below := h.count(task); len(below) != 1 {
				t.Errorf("below the task: %v", below)
			}
			p.terminate()
		})
	}
}

// install makes an environment with the packages of an example, and returns its Python.
func install(t *testing.T, requirements string) string {
	t.Helper()
	dir := t.TempDir()
	python := filepath.Join(dir, "bin/python")
	for _, command := range [][]string{
		{"python3", "-m", "venv", dir},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v", strings.Join(command, " "), err)
		}
	}
	return python
}
