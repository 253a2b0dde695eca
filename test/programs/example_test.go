package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/api"
)

// Each example is an agent of the same hub: it is asked, and asks others where it can.
func TestTheExamplesWork(t *testing.T) {
	need(t, "python3", "bash", "curl", "jq")
	h := newHub(t)
	examples := filepath.Join(root(t), "examples")
	for _, c := range []struct {
		name    string
		command []string
		asks    bool // it can ask others, and stops in order
	}{
		{"curl-agent", []string{filepath.Join(examples, "curl-agent/agent.sh")}, false},
		{"python-agent", []string{"python3", filepath.Join(examples, "python-agent/agent.py")}, true},
		{"go-agent", []string{buildGoAgent(t, filepath.Join(examples, "go-agent"))}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h.within(t)
			p := h.run(h.token("Counter").Secret, nil, c.command...)
			h.completed(h.delegate("Counter", "one two three"), "3 words")
			asked, err := h.person.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "Counter", Message: `four "quoted" words, 'all' told`, Timeout: patience.Seconds()})
			h.must(err)
			h.completed(asked.Task.ID, "5 words")
			h.notified("Counter")
			p.kill() // in its long poll, most likely
			task := h.delegate("Counter", "one two")
			p = h.run(h.token("Counter").Secret, nil, c.command...)
			h.completed(task, "2 words")
			if !c.asks {
				return
			}
			h.completed(h.delegate("Counter", "ask DataBot: What was the revenue?"), "2 words")
			if state, text := h.result(h.delegate("Counter", "ask Nobody: What?")); state != parley.TaskFailed.String() || !strings.Contains(text, "Nobody") {
				t.Errorf("asking somebody who is not there: %s %q", state, text)
			}
			p.terminate()
		})
	}
}

// within is the hub in a part of the test.
func (h *hub) within(t *testing.T) *hub {
	part := *h
	part.t = t
	return &part
}

// notified sends a notification and waits until it was seen.
func (h *hub) notified(whom string) {
	h.t.Helper()
	made, err := h.person.Contact(h.t.Context(), api.ContactRequest{Action: "notify", Agent: whom, Message: "Lunch."})
	h.must(err)
	h.eventually("the notification is seen", func() bool {
		m, err := h.person.Message(h.t.Context(), made.Message)
		h.must(err)
		return len(m.Deliveries) == 1 && m.Deliveries[0].State == "seen"
	})
}

// buildGoAgent builds a program of another module, which has nothing but the package
// client of this one, without the network.
func buildGoAgent(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "go-agent")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s cannot be built: %v\n%s", dir, err, out)
	}
	return program
}
