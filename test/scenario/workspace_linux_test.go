package scenario

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/app"
	"parley/internal/policy"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// repository makes a small program with a mistake in it.
func repository(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"parley.yaml":             "team: main\n",
		"agents/writer.md":        "You write.\n",
		"agents/_shared/notes.md": "Notes.\n",
		".parley/hub.token":       "secret\n",
		"go.mod":                  "module greeter\n\ngo 1.26\n",
		"greet/greet.go":          "// Package greet greets.\npackage greet\n\n// Greet greets somebody.\nfunc Greet(name string) string {\n\treturn \"Hello, \" + nam\n}\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// workIn gives a team a workspace with whichever sandbox this machine has.
func workIn(t *testing.T, dir string, team Team) Team {
	t.Helper()
	cfg := workspace.Config{Folder: dir, Team: dir, Hidden: []string{filepath.Join(dir, ".parley")}}
	readOnly, hidden := workspace.Confine(cfg)
	var err error
	cfg.Sandbox, err = sandbox.Find(t.Context(), sandbox.Config{Workspace: dir, ReadOnly: readOnly, Hidden: hidden, Scratch: filepath.Join(dir, ".parley/shell")})
	if err != nil {
		t.Fatalf("no sandbox works on this machine; scripts/setup installs bubblewrap: %v", errors.Unwrap(err))
	}
	space, err := workspace.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = space.Close() })
	team.Tools = app.WorkspaceTools(space)
	return team
}

// equip gives agents the toolset and rules.
func equip(rules map[string]*policy.Rules, shared ...string) func(m *app.Member) {
	return func(m *app.Member) {
		if m.Kind == parley.Native {
			m.Toolsets = []string{"contact", "workspace"}
			m.Rules = rules[m.Name]
			m.KeepsShared = slices.Contains(shared, m.Name)
		}
	}
}

func profile(t *testing.T, preset string) *policy.Profile {
	t.Helper()
	p, err := policy.NewProfile(preset, policy.Patterns{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const codingScript = `
agents:
  writer:
    - match: 'Fix'
      steps:
        - {call: shell, args: {command: 'go build ./...'}}
        - {call: contact_agent, args: {action: ask, agentId: reader, message: 'What is in greet/greet.go?'}}
        - {call: read_file, args: {path: greet/greet.go}}
        - {call: replace_block, args: {path: greet/greet.go, digest: '{{capture "[0-9a-f]{12}" result}}', kind: function, name: Greet, new_text: "// Greet greets somebody.\nfunc Greet(name string) string {\n\treturn \"Hello, \" + name\n}"}}
        - {call: replace_block, args: {path: greet/greet.go, digest: '000000000000', name: Greet, new_text: "func Greet() {}"}}
        - {call: shell, args: {command: 'go build ./... && go vet ./... && echo built', timeout_seconds: 300}}
        - {call: write_file, args: {path: agents/_shared/last-run.md, content: "Fixed."}}
        - say: '{{result}}'
  reader:
    - steps:
        - {call: list_symbols, args: {path: greet/greet.go}}
        - {call: write_file, args: {path: greet/x.go, content: 'x'}}
        - {call: shell, args: {command: 'id'}}
        - say: 'Read.'
`

// An agent builds, asks another to look, changes a function and builds again, in
// a real module with the real compiler. The one in read mode has no tool to write
// with, and making one up does not help.
func TestAnAgentReadsEditsAndBuilds(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	team := workIn(t, dir, Team{Agents: []string{"writer", "reader"}, Script: codingScript,
		Member: equip(map[string]*policy.Rules{"writer": {Profile: profile(t, "open")}, "reader": {Profile: profile(t, "open"), ReadOnly: true}}, "writer")})
	s := Raise(t, team, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
	root := s.As("rutger").Delegate("writer", "Fix the build.")
	s.Wait(root)
	results := s.Results(root)
	for i, want := range []string{
		"exit code 1\n# greeter/greet\ngreet/greet.go:6:", "Response from reader: Read.", "greet/greet.go, lines 1-7 of 7, digest ", "Changed greet/greet.go, lines 4-7 are new, digest ",
		"Error: stale target: 'greet/greet.go' is not what you have read", "exit code 0\nbuilt", "Changed agents/_shared/last-run.md, ",
	} {
		if i >= len(results) || !strings.HasPrefix(results[i], want) {
			s.Errorf("result %d is %q, want %q", i, results[min(i, len(results)-1)], want)
		}
	}
	read := s.Results(s.Children(root)[0].ID)
	for i, want := range []string{"greet/greet.go, digest ", `Error: There is no tool "write_file".`, `Error: There is no tool "shell".`} {
		if i >= len(read) || !strings.HasPrefix(read[i], want) {
			s.Errorf("the reader's result %d: %q, want %q", i, read, want)
		}
	}
	var offered []string
	for _, tl := range s.Models.Shown("reader")[0].Tools {
		offered = append(offered, tl.Name)
	}
	s.Equal("tools of the reader", []string{"read_file", "glob", "grep", "list_symbols"}, offered[len(offered)-4:])
	if _, err := os.Stat(filepath.Join(dir, "greet/x.go")); err == nil {
		s.Error("an agent in read mode has written a file")
	}
	if out, err := exec.CommandContext(t.Context(), "go", "vet", "-C", dir, "./...").CombinedOutput(); err != nil {
		s.Errorf("%v: %s", err, out)
	}
	s.Stop()
	s.CheckPromises()
	s.CheckLog()
}

// The standard profile lets an agent read and needs approval for the rest; exactly
// what was approved runs.
func TestWritingAndShellNeedApprovalByDefault(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	team := workIn(t, dir, Team{Agents: []string{"writer"}, Script: `
agents:
  writer:
    - steps:
        - {call: grep, args: {pattern: 'Greet', include: '*.go'}}
        - calls:
            - {tool: write_file, args: {path: greet/new.txt, content: 'new'}}
            - {tool: shell, args: {command: 'cat greet/new.txt; rm greet/new.txt'}}
        - say: 'Done.'
`, Member: equip(nil)})
	s := Raise(t, team, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
	root := s.As("rutger").Delegate("writer", "Write.")
	s.Until("two calls are held", func() bool { return len(s.Held(root)) == 2 })
	s.Until("the task waits", func() bool { return s.Task(root).State == parley.Waiting })
	if _, err := os.Stat(filepath.Join(dir, "greet/new.txt")); err == nil {
		s.Error("it was written without approval")
	}
	s.As("rutger").Approve(1)
	s.As("rutger").Deny(2, "Not that.")
	s.Wait(root)
	results := s.Results(root)
	s.Equal("denied", "Error: Approval denied for shell. Not that.", results[len(results)-1])
	if data, err := os.ReadFile(filepath.Join(dir, "greet/new.txt")); err != nil || string(data) != "new" {
		s.Errorf("the approved call: %q, %v", data, err)
	}
	s.Stop()
	s.CheckPromises()
}

// Cancelling a task ends its running command with everything that the command has
// started.
func TestACancelledTaskEndsItsCommand(t *testing.T) {
	t.Parallel()
	argument := strconv.Itoa(50_000_000 + os.Getpid())
	team := workIn(t, repository(t), Team{Agents: []string{"writer"}, Script: `
agents:
  writer: [{steps: [{call: shell, args: {command: 'setsid sleep ` + argument + ` & sleep ` + argument + `'}}, {say: 'Over.'}]}]
`, Member: equip(map[string]*policy.Rules{"writer": {Profile: profile(t, "open")}})})
	s := Raise(t, team, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
	root := s.As("rutger").Delegate("writer", "Run.")
	s.Until("the command runs", func() bool { return sleeping(s, argument) == 2 })
	s.As("rutger").Cancel(root)
	s.Until("its processes have ended", func() bool { return sleeping(s, argument) == 0 })
	s.Equal("state", parley.Cancelled, s.Task(root).State)
	s.Stop()
	s.CheckPromises()
}

// sleeping counts the processes that sleep so long.
func sleeping(s *Stage, argument string) (count int) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.Fatal(err)
	}
	for _, file := range files {
		data, _ := os.ReadFile(file)
		if string(data) == "sleep\x00"+argument+"\x00" {
			count++
		}
	}
	return count
}
