//go:build clients

package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/api"
	"parley/internal/model/wiretest"
)

// TestTwoClaudeCodeTerminals does what the example says, with the commands that are
// written there. One of the terminals is closed in the middle of its task.
func TestTwoClaudeCodeTerminals(t *testing.T) {
	blocks := commands(t, "../../examples/two-claude-code-terminals/README.md")
	if len(blocks) != 4 {
		t.Fatalf("the example has %d blocks of commands, not 4: %q", len(blocks), blocks)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{TB: t, team: filepath.Join(home, "team"), project: filepath.Join(home, "project"), home: home}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1",
		"ANTHROPIC_API_KEY=sk-test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
	s.bash(home, "git init -q project && cd project && git -c user.name=Ada -c user.email=ada@example.com commit -q --allow-empty -m first")
	start, ok := strings.CutSuffix(blocks[0], "\nparley up ~/team")
	if !ok {
		t.Fatalf("the hub is not started by %q", blocks[0])
	}
	s.bash(home, start)
	s.up()
	s.bash(home, blocks[1])
	s.bash(s.project, blocks[2])

	work, ok := strings.CutSuffix(blocks[3], "\nparley --dir ~/team watch")
	if !ok {
		t.Fatalf("the work is not watched by %q", blocks[3])
	}
	handed, done := make(chan struct{}), make(chan struct{})
	writer := &terminal{TB: t, decide: asksForReview(done)}
	reviewer := &terminal{TB: t, decide: goesAway(handed)}
	writing := s.open(s.project, writer)
	reviewing := s.open(filepath.Join(home, "project-review"), reviewer)
	var contact api.Contact
	if err := json.Unmarshal([]byte(s.bash(home, strings.Replace(work, "parley ", "parley --json ", 1))), &contact); err != nil {
		t.Fatal(err)
	}
	s.await(handed, "the reviewer is asked")
	reviewing.kill()
	again := &terminal{TB: t, decide: reviews()}
	reviewing = s.open(filepath.Join(home, "project-review"), again)
	s.await(done, "the coder has its review")
	writing.wait()
	reviewing.wait()

	got, err := s.hub.Task(t.Context(), contact.Task.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.State != "completed" || got.Result != "Added. The reviewer says: It prints the right version." {
		t.Errorf("the task is %s: %q", got.State, got.Result)
	}
	if !again.saw("handed out before") {
		t.Error("what the closed terminal was given did not come again with a mark")
	}
}

// commands are the blocks of commands of an example, in order.
func commands(t testing.TB, path string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var block []string
	for line := range strings.Lines(string(text) + "\nend\n") {
		command, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		switch {
		case indented:
			block = append(block, command)
		case strings.TrimSpace(line) != "" && len(block) > 0:
			blocks, block = append(blocks, strings.Join(block, "\n")), nil
		}
	}
	return blocks
}

func (s *site) bash(dir, script string) string {
	s.Helper()
	return s.run(dir, "bash", "-e", "-c", script)
}

// await waits for a step of another. The limit of the whole run ends it if it never comes.
func (s *site) await(step <-chan struct{}, what string) {
	s.Helper()
	select {
	case <-step:
	case <-s.Context().Done():
		s.Fatalf("it never happened that %s", what)
	}
}

// terminal is the model behind one Claude Code.
type terminal struct {
	testing.TB
	mu     sync.Mutex
	read   bytes.Buffer
	decide func(body string, call caller) wiretest.Reply
}

// caller makes a reply that calls a tool.
type caller func(tool, args string) wiretest.Reply

func (m *terminal) answer(r wiretest.Request) wiretest.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read.Write(r.Body)
	body := string(r.Body)
	names := offered(body)
	if len(names) < 3 {
		return wiretest.Reply{Text: "ok"} // a title, a summary: not the agent's turn
	}
	done := len(results.FindAllString(body, -1))
	return m.decide(body, func(tool, args string) wiretest.Reply {
		m.Logf("%s after %d results", tool, done)
		return wiretest.Reply{Calls: []wiretest.Call{{ID: fmt.Sprintf("call_%d", done), Name: names[tool], Args: args}}}
	})
}

func (m *terminal) saw(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Contains(m.read.String(), text)
}

const waiting = `{"wait_seconds": 60}`

// given is how a message that asks for work begins.
var given = regexp.MustCompile(`asks you to do (task-\d+)`)

// asksForReview gets a task, asks the reviewer, and completes the task with the answer.
func asksForReview(done chan<- struct{}) func(string, caller) wiretest.Reply {
	asked, completed := false, false
	return func(body string, call caller) wiretest.Reply {
		task := given.FindStringSubmatch(body)
		switch {
		case completed:
			return wiretest.Reply{Text: "Done."}
		case task != nil && !asked:
			asked = true
			return call("contact_agent", `{"action": "ask", "agentId": "reviewer", "message": "Does the new flag print the right version?"}`)
		case asked && strings.Contains(body, "It prints the right version."):
			completed = true
			close(done)
			return call("task_complete", fmt.Sprintf(`{"task_id": %q, "result": "Added. The reviewer says: It prints the right version."}`, task[1]))
		}
		return call("wait_for_messages", waiting)
	}
}

// goesAway waits for a task and never comes back from it.
func goesAway(handed chan<- struct{}) func(string, caller) wiretest.Reply {
	told := false
	return func(body string, call caller) wiretest.Reply {
		if given.FindString(body) == "" {
			return call("wait_for_messages", waiting)
		}
		if !told {
			told = true
			close(handed)
		}
		return wiretest.Reply{Hold: make(chan struct{})}
	}
}

// reviews does the task.
func reviews() func(string, caller) wiretest.Reply {
	completed := false
	return func(body string, call caller) wiretest.Reply {
		task := given.FindStringSubmatch(body)
		switch {
		case completed:
			return wiretest.Reply{Text: "Done."}
		case task == nil:
			return call("wait_for_messages", waiting)
		}
		completed = true
		return call("task_complete", fmt.Sprintf(`{"task_id": %q, "result": "It prints the right version."}`, task[1]))
	}
}

// running is a Claude Code that runs.
type running struct {
	*site
	cmd *exec.Cmd
	out *bytes.Buffer
}

// open starts Claude Code in a folder, as in a terminal. Whom it would ask whether it may
// use the team's tools is not here, so it is told beforehand.
func (s *site) open(dir string, m *terminal) *running {
	s.Helper()
	server := wiretest.Start(s.TB, m.answer)
	cmd := exec.CommandContext(s.Context(), installed(s.TB, "claude"), "-p", "Join your team and wait for messages.", "--allowedTools", "mcp__parley")
	cmd.Dir, cmd.Env = dir, append(append([]string(nil), s.env...), "ANTHROPIC_BASE_URL="+server.URL)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	r := &running{site: s, cmd: cmd, out: &bytes.Buffer{}}
	cmd.Stdout, cmd.Stderr = r.out, r.out
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	return r
}

// kill closes the terminal.
func (r *running) kill() {
	r.Helper()
	if err := r.cmd.Cancel(); err != nil {
		r.Fatal(err)
	}
	_ = r.cmd.Wait() // it was killed
}

// wait waits until Claude Code has ended by itself.
func (r *running) wait() {
	r.Helper()
	if err := r.cmd.Wait(); err != nil {
		r.Errorf("claude in %s: %v\n%s", r.cmd.Dir, err, r.out)
	}
}
