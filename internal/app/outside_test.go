package app_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/api"
)

// deskEnv makes the test's own binary an outside server. It is a folder, where
// the server writes down which process it is.
const deskEnv = "TEST_DESK"

// serveDesk is a server with a tool that tells the server's name, and one that
// waits for a file.
func serveDesk(dir string) error {
	name := os.Getenv("DESK_NAME")
	// It fails where the server may only read, which is a test of its own.
	_ = os.WriteFile(filepath.Join(dir, name+".pid"), []byte(strconv.Itoa(os.Getpid())), 0o600)
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	add := func(tool string, run func(ctx context.Context) error) {
		mcp.AddTool(server, &mcp.Tool{Name: tool}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name}}}, nil, run(ctx)
		})
	}
	add("look", func(context.Context) error { return nil })
	add("hold", func(ctx context.Context) error {
		if err := os.WriteFile(filepath.Join(dir, "held"), nil, 0o600); err != nil {
			return err
		}
		look := time.NewTicker(5 * time.Millisecond)
		defer look.Stop()
		for {
			if _, err := os.Stat(filepath.Join(dir, "go")); err == nil {
				return nil
			}
			select {
			case <-look.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	mcp.AddTool(server, &mcp.Tool{Name: "run"}, func(ctx context.Context, _ *mcp.CallToolRequest, in struct {
		Command string `json:"command"`
	}) (*mcp.CallToolResult, any, error) {
		out, _ := exec.CommandContext(ctx, "bash", "-c", in.Command).CombinedOutput() // it says what failed
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}}, nil, nil
	})
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

// desk is a team whose clerk has a server of its own.
type desk struct {
	*running
	notes string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	script := "-- script.yaml --\nagents:\n  Clerk:\n" +
		"    - match: 'hold'\n      steps: [{call: desk__hold}, {call: desk__look}, {say: '{{result}}'}]\n" +
		"    - steps: [{call: desk__look}, {say: '{{result}}'}]\n"
	dir := folder(t, script+"-- notes/README.md --\nThe server writes here.\n")
	d := desk{notes: filepath.Join(dir, "notes")}
	write(t, dir, "agents/Clerk.md", d.clerk("one"))
	d.running = up(t, configure(t, dir))
	return d
}

// clerk is the agent's file, with the server of a name; without a name it has none.
func (d desk) clerk(name string) string {
	server := ""
	if name != "" {
		server = fmt.Sprintf("mcp_servers:\n  desk: {command: %q, env: {%s: %q, DESK_NAME: %s}}\n", os.Args[0], deskEnv, d.notes, name)
	}
	return "---\nprofile: {preset: open}\n" + server + "---\nYou keep the desk.\n"
}

func (d desk) tell(message string) api.Task {
	d.t.Helper()
	made, err := d.client().Contact(d.t.Context(), api.ContactRequest{Action: "delegate", Agent: "Clerk", Message: message})
	if err != nil {
		d.t.Fatal(err)
	}
	return *made.Task
}

func (d desk) result(task api.Task) string {
	d.t.Helper()
	ended, err := d.client().WaitTask(d.t.Context(), task.ID, time.Minute)
	if err != nil {
		d.t.Fatal(err)
	}
	return ended.Result + ended.Error
}

func (d desk) is(name string) bool {
	_, err := os.Stat(filepath.Join(d.notes, name))
	return err == nil
}

// gone reports whether nothing of a server is left, neither its process nor what
// confines it. Inside its sandbox it has another number, so its environment tells.
func (d desk) gone(name string) bool {
	d.t.Helper()
	if !d.is(name + ".pid") {
		d.t.Fatalf("the server %s was never there", name)
	}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	return !slices.ContainsFunc(files, func(file string) bool {
		text, _ := os.ReadFile(file) // it may have ended
		return strings.Contains(string(text), deskEnv+"="+d.notes) && strings.Contains(string(text), "DESK_NAME="+name+"\x00")
	})
}

// A server that the files describe otherwise, or no longer, ends; but a turn that
// began with it ends with it, and the hub's stop ends what is left.
func TestServersAndAChangedFile(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Dir(d.Data)
	under := d.tell("Please hold.")
	d.until(func() bool { return d.is("held") })
	write(t, dir, "agents/Clerk.md", d.clerk("two"))
	d.reload()
	if got := d.result(d.tell("Who are you?")); got != "two" {
		t.Errorf("a new turn has %q", got)
	}
	write(t, d.notes, "go", "")
	if got := d.result(under); got != "one" {
		t.Errorf("the turn under way has %q", got)
	}
	d.until(func() bool { return d.gone("one") })
	write(t, dir, "agents/Clerk.md", d.clerk(""))
	d.reload()
	d.until(func() bool { return d.gone("two") })
	write(t, dir, "agents/Clerk.md", d.clerk("three"))
	d.reload()
	if got := d.result(d.tell("Who are you?")); got != "three" {
		t.Errorf("a new turn has %q", got)
	}
	remove(t, dir, "agents/Clerk.md")
	d.reload()
	d.until(func() bool { return d.gone("three") })
	write(t, dir, "agents/Clerk.md", d.clerk("four"))
	d.reload()
	d.until(func() bool { return d.is("four.pid") })
	d.down()
	if !d.gone("four") {
		t.Error("the hub has left a server behind")
	}
}
