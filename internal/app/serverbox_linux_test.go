package app_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/api"
)

// workshop is a team whose agents have the server desk, which runs what it is told.
type workshop struct {
	*running
	dir string
}

const workshopScript = `
-- script.yaml --
agents:
  "*":
    - match: 'serve: '
      steps: [{call: desk__run, args: {command: '{{capture "(?s)serve: (.*)" body}}'}}, {say: '{{result}}'}]
    - match: 'shell: '
      steps: [{call: shell, args: {command: '{{capture "(?s)shell: (.*)" body}}'}}, {say: '{{result}}'}]
    - match: 'write: '
      steps: [{call: write_file, args: {path: '{{capture "(?s)write: (.*)" body}}', content: 'rewritten'}}, {say: '{{result}}'}]
-- tools/desk.sh --
#!/bin/sh
exec "$DESK_PROGRAM"
-- notes/README.md --
The server writes here.
`

// newWorkshop makes the team. The settings describe the server; an agent is what stands in
// its front matter.
func newWorkshop(t *testing.T, settings string, agents map[string]string) workshop {
	t.Helper()
	dir := folder(t, workshopScript)
	text, err := os.ReadFile(filepath.Join(dir, "parley.yaml"))
	if err := errors.Join(err, os.Chmod(filepath.Join(dir, "tools/desk.sh"), 0o755)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "parley.yaml", string(text)+settings)
	for name, front := range agents {
		write(t, dir, "agents/"+name+".md", "---\nprofile: {preset: open}\n"+front+"\n---\nYou work.\n")
	}
	return workshop{up(t, configure(t, dir)), dir}
}

// tell tells an agent to do something, and returns what it says.
func (w workshop) tell(agent, format string, args ...any) string {
	w.t.Helper()
	made, err := w.client().Contact(w.t.Context(), api.ContactRequest{Action: "delegate", Agent: agent, Message: fmt.Sprintf(format, args...)})
	if err != nil {
		w.t.Fatal(err)
	}
	ended, err := w.client().WaitTask(w.t.Context(), made.Task.ID, time.Minute)
	if err != nil {
		w.t.Fatal(err)
	}
	return ended.Result + ended.Error
}

// deskServer is how the files describe the test's own binary as a server.
func deskServer(more string) string {
	return fmt.Sprintf("mcp_servers:\n  desk: {command: %q, env: {%s: notes, DESK_NAME: desk}%s}\n", os.Args[0], deskEnv, more)
}

// A server works in the workspace, in a home of its own and over the network. It sees
// nothing of the hub and cannot change what its agents cannot.
func TestAServerRunsInASandbox(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-hub")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("reached\n"))
			_ = conn.Close()
		}
	}()
	w := newWorkshop(t, deskServer(""), map[string]string{"Clerk": "mcp_servers: [desk]"})
	token, err := os.ReadFile(filepath.Join(w.Data, "hub.token"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"cat .parley/hub.token", "cat " + w.Data + "/*", "ln .parley/hub.token x; cat x", "cat parley.yaml",
		fmt.Sprintf("tr '\\0' '\\n' < /proc/%d/environ", os.Getpid()), "cat /proc/*/environ | tr '\\0' '\\n'", fmt.Sprintf("kill -9 %d; echo $?", os.Getpid()),
		"echo x > agents/New.md; ls agents", "echo x >> parley.yaml; mv parley.yaml y; cat y", "cat /etc/ssl/private/* /etc/shadow",
	} {
		got := w.tell("Clerk", "serve: %s", command)
		for _, bad := range []string{strings.TrimSpace(string(token)), "SQLite format", "scripted:", "sk-of-the-hub", "New.md\n", "root:"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s: %s", command, got)
			}
		}
	}
	for _, c := range []struct{ command, want string }{
		{"echo made > notes/made; cat notes/made", "made\n"},
		{"echo kept > ~/.kept; cat ~/.kept; touch $TMPDIR/x && echo $HOME", "kept\n" + filepath.Join(w.Data, "servers/shared/desk/home") + "\n"},
		{fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d; cat <&3", listener.Addr().(*net.TCPAddr).Port), "reached\n"},
		{"test -r /etc/resolv.conf && test -r /etc/ssl/certs && echo found", "found\n"},
	} {
		if got := w.tell("Clerk", "serve: %s", c.command); got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}

// One process serves several agents. If one of them may only read, so may the process.
func TestASharedServerReadsForAReader(t *testing.T) {
	w := newWorkshop(t, deskServer(""), map[string]string{"Clerk": "mcp_servers: [desk]"})
	const try = "serve: echo x > notes/made; ls notes/made"
	if got := w.tell("Clerk", try); got != "notes/made\n" {
		t.Errorf("the writer's server: %q", got)
	}
	remove(t, w.dir, "notes/made")
	write(t, w.dir, "agents/Reader.md", "---\nmode: read\nmcp_servers: [desk]\n---\nYou read.\n")
	w.reload()
	if got := w.tell("Clerk", try); strings.HasSuffix(got, "notes/made\n") {
		t.Errorf("the reader's server: %q", got)
	}
	if got := w.tell("Clerk", "serve: cat notes/README.md"); got != "The server writes here.\n" {
		t.Errorf("the reader's server reads %q", got)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "notes/made")); err == nil {
		t.Error("the server of a reader has written")
	}
}

// An agent cannot write the script that a server is started from, neither with the tools
// of the workspace nor with a command nor through the server, and up warns of it.
func TestAgentsCannotRewriteWhatAServerRuns(t *testing.T) {
	server := fmt.Sprintf("workspace: {readable: [%q]}\nmcp_servers:\n  desk: {command: sh, args: [tools/desk.sh], env: {%s: notes, DESK_NAME: desk, DESK_PROGRAM: %q}}\n",
		filepath.Dir(os.Args[0]), deskEnv, os.Args[0])
	w := newWorkshop(t, server, map[string]string{"Clerk": "toolsets: [workspace]\nmcp_servers: [desk]"})
	script := filepath.Join(w.dir, "tools/desk.sh")
	before, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.tell("Clerk", "serve: echo it runs"); got != "it runs\n" {
		t.Fatalf("the server said %q", got)
	}
	for _, try := range []string{"write: tools/desk.sh", "write: tools/../tools/desk.sh",
		"shell: echo x >> tools/desk.sh", "shell: rm -f tools/desk.sh; echo x > tools/desk.sh", "shell: mv tools away; mkdir tools; echo x > tools/desk.sh",
		"shell: ln tools/desk.sh notes/second; echo x > notes/second", "serve: echo x >> tools/desk.sh; mv tools away"} {
		got := w.tell("Clerk", "%s", try)
		if after, err := os.ReadFile(script); err != nil || string(after) != string(before) {
			t.Fatalf("%s: the script is %q, %v: %s", try, after, err, got)
		}
	}
	if got := w.tell("Clerk", "write: tools/desk.sh"); !strings.Contains(got, "an MCP server is started from it") {
		t.Errorf("the refusal is %q", got)
	}
	if text := fmt.Sprint(w.Warnings); !strings.Contains(text, "desk is started from "+script+" in the workspace") {
		t.Errorf("the warnings are %s", text)
	}
	// A script that a changed file names is protected at once.
	write(t, w.dir, "tools/other.sh", string(before))
	text, err := os.ReadFile(filepath.Join(w.dir, "agents/Clerk.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, w.dir, "agents/Clerk.md", strings.Replace(string(text), "mcp_servers: [desk]", "mcp_servers: {other: {command: sh, args: [tools/other.sh]}}", 1))
	w.reload()
	if got := w.tell("Clerk", "write: tools/other.sh"); !strings.Contains(got, "an MCP server is started from it") {
		t.Errorf("after a reload: %q", got)
	}
}
