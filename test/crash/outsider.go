package crash

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// sdkEnv is a folder with the official TypeScript SDK of MCP. Without it the members
// that speak MCP are this program, with the Go SDK.
const sdkEnv = "PARLEY_CRASH_SDK"

// memberEnv makes this program a member that speaks MCP: one that "remembers" what it was
// handed in its file, or one that "forgets".
const memberEnv = "PARLEY_CRASH_MEMBER"

// outsider is a program outside of the hub that works as one of the team's agents.
type outsider struct {
	g          *ground
	name       string
	file       string // what it wrote down
	log        string
	url, token string

	cmd   *exec.Cmd
	ended chan struct{}
}

func (g *ground) newOutsider(name, url, token string) *outsider {
	m := &outsider{g: g, name: name, file: g.path(name + ".jsonl"), log: g.path(name + ".log"), url: url, token: token}
	g.Cleanup(m.kill)
	return m
}

// program is the command of the member.
func (m *outsider) program() *exec.Cmd {
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			m.g.Fatal(err)
		}
		return path
	}
	sdk := os.Getenv(sdkEnv)
	switch {
	case m.name == "Cal":
		return exec.Command("bash", script("member.sh"))
	case sdk != "":
		text, err := os.ReadFile(script("member.mjs"))
		if err == nil { // beside the SDK, where node looks for it
			err = os.WriteFile(filepath.Join(sdk, "member.mjs"), text, 0o644)
		}
		if err != nil {
			m.g.Fatal(err)
		}
		return exec.Command("node", filepath.Join(sdk, "member.mjs"))
	default:
		return exec.Command(os.Args[0])
	}
}

func (m *outsider) start() {
	m.g.Helper()
	memory := "forgets"
	if m.name == "Mia" {
		memory = "remembers"
	}
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		m.g.Fatal(err)
	}
	cmd := m.program()
	cmd.Env = append(os.Environ(), memberEnv+"="+memory, "MEMBER_FILE="+m.file, "PARLEY_URL="+m.url, "PARLEY_TOKEN="+m.token)
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with what it starts
	started, ended := make(chan error, 1), make(chan struct{})
	m.cmd, m.ended = cmd, ended
	go func() {
		defer close(ended)
		defer log.Close()
		defer tieToThread(cmd)()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it never ends by itself
		}
	}()
	if err := <-started; err != nil {
		m.g.Fatal(err)
	}
}

// kill ends the member and what it has started with SIGKILL.
func (m *outsider) kill() {
	if m.cmd == nil || m.cmd.Process == nil || !m.alive() {
		return
	}
	_ = syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL)
	<-m.ended
}

func (m *outsider) alive() bool {
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// reach waits until the member is at that moment, but not for long: it may have nothing
// to do.
func (m *outsider) reach(moment string) {
	limit := time.NewTimer(3 * time.Second)
	defer limit.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for m.waits() != (moment == inWait) {
		select {
		case <-again.C:
		case <-limit.C:
			return
		case <-m.ended:
			return
		}
	}
}

func (m *outsider) lastWords() string {
	text, err := os.ReadFile(m.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
